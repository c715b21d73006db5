"""Prepares a workspace: its folders, git settings and hooks for the agent's git, as a plan (`memdeck init`)."""
