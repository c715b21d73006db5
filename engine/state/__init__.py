"""The operator's state of one workspace: one database of small facts, and what reads and writes it."""
