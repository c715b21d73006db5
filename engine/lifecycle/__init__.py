"""The lifecycle from a conversation to durable knowledge (autopoiesis §8)."""
