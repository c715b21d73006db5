"""Sends many questions to Claude at once, answered within a day at half the price (decision D48)."""
