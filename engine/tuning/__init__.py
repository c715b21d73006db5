"""Tuning of topics by what the operator judged: proposals, and a plan on the topic files (autopoiesis §5.5)."""
