"""Holds a data file a tool: what is known of its session files, and the words that its harness puts in."""
