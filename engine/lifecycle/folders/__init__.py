"""Review: the differences of any two folders, as a plan for the workspace."""
