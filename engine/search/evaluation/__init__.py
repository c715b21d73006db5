"""Measures how well search answers questions with known answers."""
