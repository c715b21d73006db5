"""Pruning: MEMORY.md by entries, journals by age, knowledge files by score (autopoiesis §8.5)."""
