"""Ranks files for a question: by words, by vectors, and by the merge of the two."""
