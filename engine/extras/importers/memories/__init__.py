"""Import of memories: what other tools remember, entry by entry and note by note, in a plan (decisions D43, G16)."""
