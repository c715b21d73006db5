"""Makes the rows and words of the Overview."""
