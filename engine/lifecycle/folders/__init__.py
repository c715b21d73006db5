"""Review: what changed between any two folders, as a plan for the workspace."""
