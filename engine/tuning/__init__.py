"""Tuning of topics by the operator's judgements: proposals, and a plan for the topic files (autopoiesis §5.5)."""
