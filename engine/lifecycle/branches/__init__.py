"""Plans the end of old explorations, each of which becomes a tag."""
