"""Capture: the events of a session become its transcript, the one write that needs no approval (autopoiesis §8.2)."""
