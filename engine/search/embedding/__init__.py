"""Turns text into vectors, by the embedder that the operator asks for."""
