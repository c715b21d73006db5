"""The operator's records of one workspace: a private folder, its lock, and a database of small facts (G19)."""
