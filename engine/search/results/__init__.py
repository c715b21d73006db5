"""Makes what is shown of a file that was found."""
