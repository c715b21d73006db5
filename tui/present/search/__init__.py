"""What the Search screen shows."""
