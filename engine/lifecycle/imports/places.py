"""Finds where a tool keeps its sessions, where nobody named a place (decision G28)."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from engine.errors import UsageError
from engine.lifecycle.imports.kinds import ImportKind


class ImportPlace(NamedTuple):
    """A folder of a tool, and those below it that hold sessions; `looked`: all places that were looked at."""

    path: str
    only: tuple[str, ...]
    looked: tuple[str, ...]


def home_of(kind: ImportKind, environment: Mapping[str, str]) -> ImportPlace:
    """The first home of the tool that is there. `UsageError` names the places where nothing is."""
    looked: list[str] = []
    found: list[tuple[str, tuple[str, ...]]] = []
    for home in kind.files.homes:
        path = home.path(environment)
        places = [f"{path}/{folder}" for folder in home.folders] or [path]
        looked += places if path else []
        there = tuple(folder for folder in home.folders if Path(path, folder).expanduser().exists())
        if path and (there or (not home.folders and Path(path).expanduser().is_dir())):
            found.append((path, there))
    hint = f"name the file or folder: memdeck import {kind.name} PATH"
    if not looked:
        raise UsageError(f"{kind.files.tool} keeps no sessions in a place of its own", where=kind.name, hint=hint)
    if not found:
        raise UsageError(f"no sessions of {kind.files.tool} are there", where=", ".join(looked), hint=hint)
    path, only = found[0]
    # One folder is imported as if it had been named, so that its files have the same paths either way.
    return (
        ImportPlace(f"{path}/{only[0]}", (), tuple(looked))
        if len(only) == 1
        else ImportPlace(path, only, tuple(looked))
    )
