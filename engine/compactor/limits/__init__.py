"""Evaluates memory from file facts, without reading notes: figures, triggers, risk, cooldown."""
