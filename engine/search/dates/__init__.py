"""Reads the days that a question mentions."""
