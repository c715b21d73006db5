"""Extract: what a session said that lasts, each entry with its words and its turn (autopoiesis §8.3)."""
