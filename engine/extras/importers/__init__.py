"""Imports sessions of other tools as transcripts, in a plan (autopoiesis §8.2)."""
