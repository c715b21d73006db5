"""Reads session files while they grow: tails, agents' formats, and the watchers over them (autopoiesis §4.1)."""
