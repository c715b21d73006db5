"""The monthly distillation: projects and people that nobody touched, and the lists of those there are (D35)."""
