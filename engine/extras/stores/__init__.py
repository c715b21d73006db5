"""Pulls from memory stores of Anthropic's service, and pushes to them."""
