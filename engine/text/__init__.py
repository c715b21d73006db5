"""Text as such: what can be said of characters and lines without knowing the workspace they stand in."""
