"""A shard without room, cut by topic into smaller ones."""
