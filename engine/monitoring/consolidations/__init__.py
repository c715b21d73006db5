"""Detects and records consolidations: bursts of changes by another tool to notes that it rewrites."""
