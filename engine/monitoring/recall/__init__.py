"""Answers questions about the past: from git, from our operations, and from what was seen (decision D50)."""
