"""Surveys the tree: every period with its node, its state, and what to do about it."""
