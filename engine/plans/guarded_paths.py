"""Tells which files agents always load or a person keeps: a rewrite of them is tier C, whoever asks for it."""

from engine.workspace.memory_md import is_memory_md

_FOLDERS = ("memory/semantic/", "knowledge/identity/", "knowledge/memory/")


def is_guarded(path: str) -> bool:
    """Tells whether a path is semantic memory, identity, MEMORY.md, or a file at the top, which agents load.

    Case makes no difference: some disks find a file by its name in any case.
    """
    found = path.casefold()
    return "/" not in path or found.startswith(_FOLDERS) or is_memory_md(path)
