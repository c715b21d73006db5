"""Cuts a full shard by topic into smaller ones."""
