"""The text of a day, week or month, made from its sources (tree §Smart Threshold Table)."""
