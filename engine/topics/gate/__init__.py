"""Tier 3: whether a candidate becomes active, and who answers where it is asked (autopoiesis §5, D17, D19)."""
