"""Finds the name that a file had at each time, by our moves and by renaming commits."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

MOST_RENAMES = 20  # renamings by commits that are followed


class FileRename(msgspec.Struct, frozen=True):
    """A commit that renamed a file, as git detects it: equal bytes, or half of them."""

    old: str
    new: str
    at: datetime
    commit: str


class FileNames:
    """The names of a file, going back from now. `now`: the oldest name known so far."""

    def __init__(self, path: str, renames: Iterable[FileRename] = ()) -> None:
        self.now = path
        self._until: list[tuple[str, datetime]] = []
        self._renames = list(renames)

    def reach(self, instant: datetime | None) -> None:
        """Goes back to an instant, or to the beginning, over commits that renamed the file."""
        while found := next((rename for rename in self._renames if rename.new == self.now), None):
            if instant is not None and found.at <= instant:
                return
            self._renames.remove(found)
            self.moved(found.old, found.at)

    def moved(self, before: str, at: datetime) -> None:
        """Records that its name was `before` until `at`."""
        self._until.append((self.now, at))
        self.now = before

    @property
    def all(self) -> tuple[str, ...]:
        """Every name of the file, the newest first."""
        return tuple(dict.fromkeys((*(name for name, _ in self._until), self.now)))

    def before(self, rename: FileRename) -> int:
        """Returns the number of names newer than the one that a commit replaced."""
        return self._until.index((rename.new, rename.at)) + 1

    def at(self, instant: datetime, passed: int = 0) -> str:
        """Returns the name at an instant, ignoring the newest `passed`: a commit's second may precede its move."""
        for name, since in self._until[passed:]:
            if instant >= since.replace(microsecond=0):
                return name
        return self.now
