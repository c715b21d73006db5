"""Holds features beyond the four documents: the core runs without this folder (`engine.extra_registry`)."""
