"""`memory.db`: the one file that search writes, and its tables."""
