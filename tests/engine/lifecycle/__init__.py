"""Tests of the lifecycle of memory."""
