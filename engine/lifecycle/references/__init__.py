"""References of files: their kinds, their days, and their store (decision D46)."""
