"""What there is by name, a line each, loaded when it is asked for."""
