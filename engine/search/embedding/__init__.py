"""What turns text into vectors, and which of them the operator asks for."""
