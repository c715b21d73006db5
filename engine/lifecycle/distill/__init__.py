"""The monthly distillation: untouched projects and people, and the lists of all (D35)."""
