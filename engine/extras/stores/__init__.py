"""Pulls from the memory stores of Anthropic's service, and pushes to them."""
