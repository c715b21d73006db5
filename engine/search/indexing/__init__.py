"""From files to the index: what of a note goes in, and when."""
