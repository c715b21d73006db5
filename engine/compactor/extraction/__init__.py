"""Makes semantic entries from episodic notes."""
