"""Compiles working notes into episodic files, and archives them."""
