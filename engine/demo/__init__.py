"""The demonstration workspace: an agent with five months of memory, and work to do."""
