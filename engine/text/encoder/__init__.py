"""Encodes short texts in sixteen languages as vectors, to compare their meaning."""
