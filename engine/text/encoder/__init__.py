"""Turns short texts of sixteen languages into vectors, to tell how alike two of them are."""
