"""What the Tree shows."""
