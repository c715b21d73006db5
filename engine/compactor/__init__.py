"""Compacts memory from working to episodic to semantic, and into the archive."""
