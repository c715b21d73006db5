"""References of files: what counts as one, on which days it came, and where they are kept (decision D46)."""
