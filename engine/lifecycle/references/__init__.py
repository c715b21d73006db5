"""References of files: what counts as one, on which days it came, and the score that they give (decisions D7, D46)."""
