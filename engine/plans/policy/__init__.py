"""The operator's policy: its values, its file, and the rules between values (decision G12)."""
