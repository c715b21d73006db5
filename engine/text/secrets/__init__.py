"""Secrets in text: their shapes as data, and the one door through which text that leaves goes."""
