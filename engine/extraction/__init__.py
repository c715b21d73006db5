"""Judges what lasts of a session: its entries, their grades, the rows they make, and what a later one supersedes."""
