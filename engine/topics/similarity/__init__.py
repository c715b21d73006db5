"""Tier 2: how near a message is to a topic, by one of several scorers on one scale (autopoiesis §4.2, decision D37)."""
