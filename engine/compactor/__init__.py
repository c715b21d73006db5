"""The compactor: working → episodic → semantic, and the archive."""
