"""The operator's policy: its values, the file they are read from, and what must hold between them (decision G12)."""
