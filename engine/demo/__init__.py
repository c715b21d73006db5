"""The demonstration workspace: a believable agent with five months of memory and work to do."""
