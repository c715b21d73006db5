"""From episodic notes to semantic entries, by what stands in them."""
