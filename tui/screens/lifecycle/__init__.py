"""The Lifecycle screen: what became of what was said."""
