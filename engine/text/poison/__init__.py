"""Poison in text: lines that would steer the agent that reads them."""
