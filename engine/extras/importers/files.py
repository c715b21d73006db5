"""Finds the files for an import: those of a kind below the operator's folder, without following links."""

import os
import re
import stat
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from engine.errors import MemdeckError, UsageError
from engine.text.safe_text import visible_line
from engine.workspace.paths import WorkspaceRoot, name_problem

MOST_BYTES = 512 * 1024 * 1024  # bytes of one file; more is left out and told
MOST_FILES = 200_000  # files of one import; what comes after them is told as a problem
_DEEPEST = 12  # folders below the one that is named
_PACKED = frozenset({".zst", ".gz", ".bz2", ".xz", ".lz4", ".br", ".7z"})
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9_]{0,11}\Z")


class SourceBytes(NamedTuple):
    """A file's or session's bytes, by path; or why it was not read; or the ending and number of skipped files."""

    source: str
    data: bytes = b""
    problem: str = ""
    unread: str = ""
    number: int = 1
    version: str = ""  # the version of the tool, where the container tells it


class SourceFolder:
    """The named folder, or that of the named file, with the files to read, all or `only` these. The operator's path may
    be a link; links below it are in `problems`, and never followed. `UsageError` if nothing is there."""

    def __init__(self, place: Path, only: Sequence[str] = ()) -> None:
        try:
            real = Path(os.path.realpath(place, strict=True))
            is_folder = stat.S_ISDIR(real.stat().st_mode)
        except (OSError, ValueError) as error:
            hint = "name a file or a folder"
            raise UsageError("there is nothing here to import", where=str(place), hint=hint) from error
        self.place = real if is_folder else real.parent
        self._root = WorkspaceRoot.open(self.place)
        self.named = None if is_folder else real.name  # the name of the file that was named; None for a folder
        self._only = only
        self.closed: set[str] = set()
        """Links to folders and folders with odd names that were met: nothing below them is read."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._root.close()

    def paths(self) -> Iterator[str]:
        """The path of every file, in order; also links and odd names, which are refused when read."""
        if self.named is not None:
            yield self.named
            return
        for name in self._only or ("",):
            facts = self._root.lstat(name) if name else None
            if facts is not None and not stat.S_ISDIR(facts.st_mode):
                yield name
            else:
                yield from self._below(name, 0)

    def parts(self, path: str) -> tuple[str, ...]:
        """The whole path of a file, part by part, by which its form is recognised."""
        return (*self.place.parts, *path.split("/"))

    def read(self, path: str) -> SourceBytes:
        """A file with its bytes, or with the reason why it cannot be read."""
        try:
            return SourceBytes(path, self._root.read(path, MOST_BYTES))
        except MemdeckError as error:
            return SourceBytes(visible_line(path), problem=error.message)

    def stamp(self, path: str) -> tuple[int, int] | None:
        """The file's time of change, in nanoseconds, and its size, or None."""
        with suppress(OSError, MemdeckError):
            if (facts := self._root.lstat(path)) is not None:
                return facts.st_mtime_ns, facts.st_size
        return None

    def _below(self, folder: str, depth: int) -> Iterator[str]:
        """The paths below a folder; also links and odd names, which are refused when read."""
        try:
            with self._root.folder(folder) as fd, os.scandir(fd) as files:
                found = sorted(
                    (file.name, file.is_dir(follow_symlinks=False), _leads_to_folder(file)) for file in files
                )
        except (OSError, MemdeckError):
            return
        for name, is_folder, is_linked in found:
            path = f"{folder}/{name}" if folder else name
            if is_linked or (is_folder and name_problem(name) is not None):
                self.closed.add(path)
                yield path
            elif not is_folder:
                yield path
            elif depth < _DEEPEST:
                yield from self._below(path, depth + 1)


def source_files(
    place: Path, endings: tuple[str, ...], only: Sequence[str], passed: Counter[str]
) -> Iterator[SourceBytes]:
    """Every file with such an ending, sorted; the others are counted in `passed`. `UsageError` if nothing is there."""
    with SourceFolder(place, only) as folder:
        for count, path in enumerate(folder.paths()):
            if count == MOST_FILES:
                yield SourceBytes(path, problem=f"more than {MOST_FILES:,} files: name a folder further down")
                return
            if path.endswith(endings) or path in folder.closed or folder.named is not None:
                yield folder.read(path)
            else:
                passed[ending_of(visible_line(path))] += 1


def below(paths: Sequence[str], folder: str) -> list[str]:
    """Those of some sorted paths that lie directly in a folder."""
    start = bisect_left(paths, f"{folder}/")
    found: list[str] = []
    for path in paths[start:]:
        if not path.startswith(f"{folder}/"):
            break
        if "/" not in path[len(folder) + 1 :]:
            found.append(path)
    return found


def ending_of(path: str) -> str:
    """The ending of a file's name, for counting; two endings if the last is that of a compression."""
    name = path.rpartition("/")[2]
    if (found := _SUFFIX.search(name[1:])) is None:
        return "(no ending)"
    before = _SUFFIX.search(name[1 : -len(found[0])]) if found[0].lower() in _PACKED else None
    return ((before[0] if before else "") + found[0]).lower()


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    """Tells whether an entry is a link to a folder. Other links count by their name."""
    with suppress(OSError):
        return entry.is_symlink() and entry.is_dir()
    return False
