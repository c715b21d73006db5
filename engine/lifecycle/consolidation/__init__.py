"""Consolidations by other tools: what became of every entry, and how one is taken back."""
