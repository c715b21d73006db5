"""Serves the memory to the program of an agent (MCP)."""
