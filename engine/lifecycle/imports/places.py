"""Finds where a tool keeps its sessions or memories, where nobody named a place (decision G28)."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from engine.errors import UsageError
from engine.lifecycle.imports.kinds import ImportKind
from engine.lifecycle.imports.memories.kinds import MemoryKind


class ImportPlace(NamedTuple):
    """A folder of a tool, and those below it that are imported; `looked`: all places that were looked at."""

    path: str
    only: tuple[str, ...]
    looked: tuple[str, ...]


def home_of(kind: ImportKind | MemoryKind, environment: Mapping[str, str]) -> ImportPlace:
    """The home of the tool that is there. `UsageError` names the places where nothing is, or of which one is meant."""
    looked: list[str] = []
    found: dict[Path, tuple[str, tuple[str, ...]]] = {}
    for home in kind.files.homes:
        path = home.path(environment)
        looked += [f"{path}/{folder}" for folder in home.folders] or [path] if path else []
        base = Path(path).expanduser()
        there = tuple(str(one.relative_to(base)) for name in home.folders for one in sorted(base.glob(name)))
        if path and (there or (not home.folders and base.is_dir())):
            found.setdefault(base.resolve(), (path, there))
    hint = f"name the file or folder: memdeck import {kind.name} PATH"
    if not looked:
        raise UsageError(f"{kind.files.tool} keeps none in a place of its own", where=kind.name, hint=hint)
    if not found:
        raise UsageError(f"nothing of {kind.files.tool} is there", where=", ".join(looked), hint=hint)
    if len(found) > 1:
        places = ", ".join(path for path, _ in found.values())
        raise UsageError(f"{kind.files.tool} has more than one place", where=places, hint=hint)
    ((path, only),) = found.values()
    # One folder is imported as if it had been named, so that its files have the same paths either way.
    if len(only) == 1 and only[0] in kind.files.homes[0].folders:
        return ImportPlace(f"{path}/{only[0]}", (), tuple(looked))
    return ImportPlace(path, only, tuple(looked))
