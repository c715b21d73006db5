"""Tier 2: how similar a message is to a topic, by one of several scorers on one scale (autopoiesis §4.2, D37)."""
