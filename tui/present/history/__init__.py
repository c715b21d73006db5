"""Makes the rows and words of the History."""
