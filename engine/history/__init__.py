"""Runs git so that no program named in a repository is executed."""
