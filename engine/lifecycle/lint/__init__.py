"""Lint: faults in the form of files that the specification describes."""
