"""Surveys the tree: every period with its node, what has to be done to it, and what is amiss."""
