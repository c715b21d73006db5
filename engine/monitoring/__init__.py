"""Follows memory over time: trends, the agent's changes, recall, and what is kept of the past."""
