"""Reads the days that a question speaks of."""
