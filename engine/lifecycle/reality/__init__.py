"""Holds what memory claims against the repository that it speaks of."""
