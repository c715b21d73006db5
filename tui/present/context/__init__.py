"""The agent's context in rows and words: what platforms load, and the compiled prompt."""
