"""Shared knowledge: notes of another repository, pinned as a submodule in `knowledge/shared/` (§11, phase 4)."""
