"""Holds what the four documents do not ask for: the core runs without this folder (`engine.extra_registry`)."""
