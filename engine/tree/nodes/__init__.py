"""Writes the text of a day, week or month from its sources (tree §Smart Threshold Table)."""
