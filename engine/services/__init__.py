"""The engine's services for front ends: questions about a workspace and orders to it, one module for each subject."""
