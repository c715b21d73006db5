"""The operator's side of one workspace: its private folder, the lock, and one database of small facts (G19)."""
