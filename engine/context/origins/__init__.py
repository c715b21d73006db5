"""Finds the lines of a prompt behind an agent's answer, and the entries and raw turns behind those lines."""
