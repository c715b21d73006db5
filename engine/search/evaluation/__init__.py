"""Measures how well search finds what it should, on questions with known answers."""
