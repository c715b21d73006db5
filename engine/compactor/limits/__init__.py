"""Evaluates the memory before a single note is read: figures, triggers, risk, cooldown."""
