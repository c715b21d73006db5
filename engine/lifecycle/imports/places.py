"""Finds where a tool keeps its sessions or memories, where nobody named a place (decision G28)."""

from collections.abc import Mapping
from pathlib import Path

from engine.errors import UsageError
from engine.lifecycle.imports.kinds import ImportKind
from engine.lifecycle.imports.memories.kinds import MemoryKind
from engine.lifecycle.imports.request import ImportRequest


def home_of(kind: ImportKind | MemoryKind, environment: Mapping[str, str]) -> ImportRequest:
    """Asks for what lies in the home of the tool. `UsageError` names the places where nothing is, or more than one."""
    looked: list[str] = []
    found: dict[Path, tuple[str, tuple[str, ...]]] = {}
    for home in kind.files.homes:
        path = home.path(environment)
        looked += [f"{path}/{folder}" for folder in home.folders] or [path] if path else []
        base = Path(path).expanduser()
        there = tuple(str(one.relative_to(base)) for name in home.folders for one in sorted(base.glob(name)))
        if path and (there or (not home.folders and base.is_dir())):
            found.setdefault(base.resolve(), (path, there))
    if len(found) != 1:
        why = "has more than one place" if found else "has nothing there" if looked else "has no place of its own"
        where = ", ".join([path for path, _ in found.values()] or looked) or kind.name
        hint = f"name the file or folder: memdeck import {kind.name} PATH"
        raise UsageError(f"{kind.files.tool} {why}", where=where, hint=hint)
    ((path, only),) = found.values()
    # One folder is imported as if it had been named, so that its files have the same paths either way.
    if len(only) == 1 and only[0] in kind.files.homes[0].folders:
        path, only = f"{path}/{only[0]}", ()
    return ImportRequest(kind.name, path, only, tuple(looked))
