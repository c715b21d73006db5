"""Stores the vectors of very many chunks, keeps some of them in memory, and compares them."""
