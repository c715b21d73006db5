"""Sends many questions to Claude in a batch, answered within a day at half the price (decision D48)."""
