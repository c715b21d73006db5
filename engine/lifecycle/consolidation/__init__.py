"""Consolidations by other tools: the outcome of every entry, and reverting single entries."""
