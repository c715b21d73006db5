"""Removes words from every place that memdeck writes, and scans for what is left (decision D62)."""
