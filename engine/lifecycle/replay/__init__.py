"""Replay: every transcript read again by an extractor, compared with knowledge (autopoiesis §8.7, D28)."""
