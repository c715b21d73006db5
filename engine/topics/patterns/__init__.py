"""Tier 1: exact matches: words, RE2 patterns, paths, links, languages (autopoiesis §4.2)."""
