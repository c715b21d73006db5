"""Widgets that draw lines, gauges and diffs."""
