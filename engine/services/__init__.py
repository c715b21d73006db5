"""The one door for front ends: questions about a workspace, and orders to it, by subject."""
