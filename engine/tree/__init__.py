"""The compaction tree: ROOT, months, weeks and days above the raw logs, planned one cycle at a time (tree)."""
