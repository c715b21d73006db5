"""Tier 3: the rules that decide whether a candidate becomes active, and the gates (autopoiesis §5, D17, D19)."""
