"""Follows the memory over time: trends, what the agent changed, and what is kept of the past."""
