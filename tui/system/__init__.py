"""The machine around the console: its terminal, its process, other programs on it."""
