"""Asks the operator over the screens, and ends with an answer, whichever screen asks."""
