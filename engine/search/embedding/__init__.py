"""Turns text into vectors with the embedder that the operator chose."""
