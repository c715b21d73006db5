"""Shared knowledge: another repository's notes, pinned as a submodule in `knowledge/shared/` (§11, phase 4)."""
