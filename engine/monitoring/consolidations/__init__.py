"""Consolidations by other tools: bursts of changes to the notes that a tool rewrites by itself, and their record."""
