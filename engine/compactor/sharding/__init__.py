"""A shard over its hard limit, cut into smaller ones."""
