"""The notes themselves: how a working note becomes an episodic one, and where the old one goes."""
