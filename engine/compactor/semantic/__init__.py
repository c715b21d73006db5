"""Semantic memory: entries, shards, pollution rules and similar titles."""
