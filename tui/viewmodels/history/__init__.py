"""What the History shows."""
