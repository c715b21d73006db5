"""What the Topics screen shows."""
