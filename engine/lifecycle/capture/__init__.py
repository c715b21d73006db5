"""Capture: a session's events become its transcript, the only write without approval (autopoiesis §8.2)."""
