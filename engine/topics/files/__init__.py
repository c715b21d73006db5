"""Reads topic files into topics and triggers, with the line of each error (autopoiesis §2.2, decision D15)."""
