"""Archiving files and restoring them, each by a plan; `places` names the folders."""
