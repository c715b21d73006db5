"""Connects other tools with memdeck: finds them, shows their settings as a diff, and undoes the change (D63)."""
