"""Makes the rows and words of the Search screen."""
