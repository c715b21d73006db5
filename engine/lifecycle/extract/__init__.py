"""Extract: a session's lasting statements, each with its words and its turn (autopoiesis §8.3)."""
