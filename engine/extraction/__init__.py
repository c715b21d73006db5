"""Judges what lasts of a session: entries, grades, rows in files, and which later entry supersedes which."""
