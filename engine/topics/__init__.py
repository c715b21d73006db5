"""Topics: what a message wakes, by three tiers: patterns, similarity, and a gate (autopoiesis §4 and §5)."""
