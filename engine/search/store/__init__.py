"""`memory.db`: the one file that search writes, and what is in it."""
