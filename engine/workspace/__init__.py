"""Reads the files of a workspace: layout, dates, snapshots, and paths that are safe to open."""
