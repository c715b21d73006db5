"""Colour themes as files, read by the console at start and on change."""
