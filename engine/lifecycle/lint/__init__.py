"""Lint: the faults in the forms of the files that the specification describes."""
