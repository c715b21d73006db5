"""Tells which files agents always load or a person keeps: a rewrite of them is tier C, whoever asks for it."""

from engine.workspace.memory_md import MEMORY_MD_PATHS

_FOLDERS = ("memory/semantic/", "knowledge/identity/", "knowledge/memory/")


def is_guarded(path: str) -> bool:
    """Tells whether a path is semantic memory, identity, MEMORY.md, or a file at the top, which agents load."""
    return "/" not in path or path.startswith(_FOLDERS) or path in MEMORY_MD_PATHS
