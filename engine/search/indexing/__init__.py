"""Brings notes into the index."""
