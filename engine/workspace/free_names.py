"""Names that nobody has taken yet: in the archive, in episodic memory, for shards (decisions A8, A9)."""

import unicodedata
from datetime import date
from pathlib import PurePosixPath
from posixpath import splitext

from engine.workspace.snapshot import Snapshot

LONGEST_NAME = 255
"""Bytes that file systems allow one name."""


class FreeNames:
    """Hands out each name once. What is on disk, whatever it is, and what the plan made before is taken. Names that
    differ only in case or Unicode form are the same: on many file systems they are."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._taken = {_key(path) for path in snapshot.files} | {_key(item.path) for item in snapshot.skipped}

    def free(self, folder: str, stem: str, ending: str = "") -> str:
        """`folder/stem+ending.md`, or with `-2`, `-3` … before `.md`; claimed from now on."""
        return self._claim(f"{folder}/", stem, ending, ".md")

    def free_path(self, path: str) -> str:
        """The path itself, or with `-2`, `-3` … before its ending; claimed from now on."""
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
        """Counts a path as taken."""
        self._taken.add(_key(path))

    def archived(self, path: str, day: date) -> str:
        """Gives the archive's path for `path`: `<stem>-archived-YYYY-MM-DD.md` (compactor §Archive, decision A8)."""
        return self.free("memory/archive", PurePosixPath(path).stem, f"-archived-{day.isoformat()}")


def obstacle(snapshot: Snapshot, folder: str) -> str | None:
    """Says why nothing can be put into `folder`: it or a parent is no folder. None if there is none."""
    places = {folder, *(str(parent) for parent in PurePosixPath(folder).parents)}
    return next((f"{item.path}: {item.reason}" for item in snapshot.skipped if item.path in places), None)


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _fitting(stem: str, suffix: str) -> str:
    room = LONGEST_NAME - len(suffix.encode())
    return stem.encode()[:room].decode("utf-8", "ignore")
