"""Lists screens and commands by name, a line each, loaded when they are asked for."""
