"""Decides which topics a message activates, by three tiers: patterns, similarity, gate (autopoiesis §4 and §5)."""
