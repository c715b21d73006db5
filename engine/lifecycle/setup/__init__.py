"""Prepares a workspace: its folders, its git settings and the hooks of the agent's git, as a plan (`memdeck init`)."""
