"""Prepares the files found for display."""
