"""The context compiler: a prompt within a budget, with every item's state and reason (autopoiesis §6)."""
