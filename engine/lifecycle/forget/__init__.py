"""Takes words out of every place of ours that says them, and tells by a scan of its own what is left (decision D62)."""
