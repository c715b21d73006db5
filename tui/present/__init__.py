"""Pure functions from engine values to what a widget draws."""
