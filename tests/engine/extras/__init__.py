"""Tests of what the core does without."""
