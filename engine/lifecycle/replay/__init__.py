"""Replay: every transcript read anew by an extractor, compared with what knowledge holds (autopoiesis §8.7, D28)."""
