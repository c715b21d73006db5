"""Connects other tools with memdeck: what is found of them, their settings as a diff, and the way back (D63)."""
