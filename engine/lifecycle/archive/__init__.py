"""Archiving and bringing back: files move whole, by a plan, and nothing comes back without one (decisions D26, D52)."""
