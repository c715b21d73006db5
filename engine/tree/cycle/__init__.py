"""One cycle of the tree as one plan, with its options, gates and report (tree §Algorithm)."""
