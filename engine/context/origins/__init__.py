"""Finds the lines of a prompt that an answer of the agent rests on, and the entries and raw turns behind them."""
