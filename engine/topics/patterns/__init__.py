"""Tier 1: what a message matches exactly: words, RE2 patterns, paths, links, languages (autopoiesis §4.2)."""
