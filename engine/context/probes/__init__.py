"""Probes: questions that memory must answer, asked before and after a plan."""
