"""Defines a snapshot, an immutable picture of the workspace that planners read, and finds free names in it."""

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import splitext

import msgspec

from engine.errors import Stale
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import SEMANTIC_INDEX
from engine.workspace.values import Capability, FileFacts, MemoryTier, Skipped, WorkspaceIdentity

_AFTER_SLASH = chr(ord("/") + 1)


FileReader = Callable[[str], bytes]
"""Returns the bytes of a workspace-relative path without following links; raises `MemdeckError`."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The workspace at `taken_at`. `files` is sorted by path; contents are read on demand and verified."""

    workspace: WorkspaceIdentity
    taken_at: datetime
    zone: str
    tokenizer: str
    capabilities: frozenset[Capability]
    files: Mapping[str, FileFacts]
    skipped: tuple[Skipped, ...]
    reader: FileReader

    def content(self, path: str) -> bytes:
        """Returns the bytes of `path` as of the snapshot; raises `Stale` if they changed since."""
        data = self.reader(path)
        if sha256_hex(data) != self.files[path].sha256:
            raise Stale("changed while the plan was being made", where=path, hint="plan again")
        return data

    def text(self, path: str) -> str:
        """Returns the content of `path` as text, with U+FFFD for bytes that are not UTF-8."""
        return self.content(path).decode("utf-8", "replace")

    def tier(self, tier: MemoryTier) -> Iterator[FileFacts]:
        """Yields the notes of a memory tier, sorted by path; subfolders only in the archive."""
        folder = f"memory/{tier.value}/"
        first, end = bisect_left(self._paths, folder), bisect_left(self._paths, f"memory/{tier.value}{_AFTER_SLASH}")
        for path in self._paths[first:end]:
            if tier is MemoryTier.ARCHIVE or ("/" not in path[len(folder) :] and path != SEMANTIC_INDEX):
                yield self.files[path]

    @cached_property
    def _paths(self) -> list[str]:
        """All paths in order, to find a folder's files by bisection."""
        return sorted(self.files)

    def skipped_under(self, folder: str) -> Iterator[Skipped]:
        """Yields what was skipped below `folder`."""
        return (item for item in self.skipped if item.path.startswith(folder + "/"))


LONGEST_NAME = 255  # bytes that file systems allow one name


class FreeNames:
    """Gives out free names, once each. Names equal but for case or Unicode form count as one, as on many disks."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._taken = {_key(path) for path in snapshot.files} | {_key(item.path) for item in snapshot.skipped}

    def free(self, folder: str, stem: str, ending: str = "") -> str:
        """Returns and reserves `folder/stem+ending.md`, or with `-2`, `-3` … before `.md`."""
        return self._claim(f"{folder}/", stem, ending, ".md")

    def free_path(self, path: str) -> str:
        """Returns and reserves the path, or with `-2`, `-3` … before its ending."""
        folder, slash, name = path.rpartition("/")
        stem, ending = splitext(name)
        return self._claim(folder + slash, stem, "", ending)

    def _claim(self, folder: str, stem: str, before: str, after: str) -> str:
        number = 1
        while True:
            suffix = f"{before}-{number}{after}" if number > 1 else f"{before}{after}"
            path = f"{folder}{_fitting(stem, suffix)}{suffix}"
            if _key(path) not in self._taken:
                self._taken.add(_key(path))
                return path
            number += 1

    def take(self, path: str) -> None:
        """Reserves a path."""
        self._taken.add(_key(path))

    def archived(self, path: str, day: date) -> str:
        """Returns the archive's path for `path`: `<stem>-archived-YYYY-MM-DD.md` (compactor §Archive, decision A8)."""
        return self.free("memory/archive", PurePosixPath(path).stem, f"-archived-{day.isoformat()}")


def obstacle(snapshot: Snapshot, folder: str) -> str | None:
    """Says why nothing can be put into `folder`: it or a parent is no folder. None if nothing is in the way."""
    places = {folder, *(str(parent) for parent in PurePosixPath(folder).parents)}
    return next((f"{item.path}: {item.reason}" for item in snapshot.skipped if item.path in places), None)


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _fitting(stem: str, suffix: str) -> str:
    room = LONGEST_NAME - len(suffix.encode())
    return stem.encode()[:room].decode("utf-8", "ignore")
