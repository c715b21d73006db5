"""Makes the rows and words of the Topics screen."""
