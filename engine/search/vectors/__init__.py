"""The vectors of very many chunks: where they lie, what is kept of them in memory, how they are compared."""
