"""The files that an import reads: those of a kind below the folder that the operator names, no link followed."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.text.safe_text import visible_line
from engine.workspace.paths import WorkspaceRoot, name_problem

MOST_BYTES = 512 * 1024 * 1024
"""Bytes of one file; more is left out and told."""
MOST_FILES = 20_000
"""Files of one import; what comes after them is told as a problem."""
_DEEPEST = 12
"""Folders below the one that is named."""


class SourceFile(msgspec.Struct, frozen=True):
    """A file by its path below the folder that was named, with its bytes; or the reason why it was not read."""

    path: str
    data: bytes = b""
    problem: str = ""


def source_files(place: Path, ending: str | tuple[str, ...]) -> Iterator[SourceFile]:
    """Every file whose name ends so, in the order of their paths. `UsageError` where nothing is there.

    What the operator names may be a link; links below it are told, and never followed.
    """
    try:
        real = Path(os.path.realpath(place, strict=True))
        is_folder = stat.S_ISDIR(real.stat().st_mode)
    except (OSError, ValueError) as error:
        raise UsageError("there is nothing here to import", where=str(place), hint="name a file or a folder") from error
    with WorkspaceRoot.open(real if is_folder else real.parent) as root:
        paths = _below(root, "", ending, 0) if is_folder else iter((real.name,))
        for count, path in enumerate(paths):
            if count == MOST_FILES:
                yield SourceFile(path, problem=f"more than {MOST_FILES:,} files: name a folder further down")
                return
            yield _read(root, path)


def _read(root: WorkspaceRoot, path: str) -> SourceFile:
    try:
        return SourceFile(path, root.read(path, MOST_BYTES))
    except MemdeckError as error:
        return SourceFile(visible_line(path), problem=error.message)


def _below(root: WorkspaceRoot, folder: str, ending: str | tuple[str, ...], depth: int) -> Iterator[str]:
    """Paths of the files below a folder, and of links and odd names there, whose reading is then refused."""
    try:
        with root.folder(folder) as fd, os.scandir(fd) as entries:
            found = sorted((one.name, one.is_dir(follow_symlinks=False), _leads_to_folder(one)) for one in entries)
    except (OSError, MemdeckError):
        return
    for name, is_folder, is_linked in found:
        path, is_odd = f"{folder}/{name}" if folder else name, name_problem(name) is not None
        if is_folder and not is_odd:
            if depth < _DEEPEST:
                yield from _below(root, path, ending, depth + 1)
        elif is_folder or is_linked or name.endswith(ending):
            yield path


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    """Tells whether an entry is a link to a folder, which is named; any other link counts by its name."""
    with suppress(OSError):
        return entry.is_symlink() and entry.is_dir()
    return False
