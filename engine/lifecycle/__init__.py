"""Lifecycle: from a conversation to durable knowledge (autopoiesis §8)."""
