"""Reading the tree: one node at a time, a text in all of them, the days that a question is about."""
