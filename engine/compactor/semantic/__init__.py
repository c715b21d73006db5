"""Semantic memory: its entries and shards, what may enter, and what is like it."""
