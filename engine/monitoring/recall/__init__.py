"""Answers questions about the past from git, operations and what was seen (decision D50)."""
