"""Says which name a file had at each time, as far as our own moves and the commits that renamed it tell."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

MOST_RENAMES = 20  # renamings by commits that are followed


class FileRename(msgspec.Struct, frozen=True):
    """A commit that gave a file another name, as git finds it: by the same bytes, or half of them."""

    old: str
    new: str
    at: datetime
    commit: str


class FileNames:
    """The name that a file had at each time; asked from now back. `now` is the oldest name known so far."""

    def __init__(self, path: str, renames: Iterable[FileRename] = ()) -> None:
        self.now = path
        self._until: list[tuple[str, datetime]] = []
        self._renames = list(renames)

    def reach(self, instant: datetime | None) -> None:
        """Goes back to an instant, or to the beginning, by the commits that renamed the file on the way."""
        while found := next((rename for rename in self._renames if rename.new == self.now), None):
            if instant is not None and found.at <= instant:
                return
            self._renames.remove(found)
            self.moved(found.old, found.at)

    def moved(self, before: str, at: datetime) -> None:
        """Before `at` it was called `before`."""
        self._until.append((self.now, at))
        self.now = before

    @property
    def all(self) -> tuple[str, ...]:
        """Every name that it had, the newest first."""
        return tuple(dict.fromkeys((*(name for name, _ in self._until), self.now)))

    def before(self, rename: FileRename) -> int:
        """Counts the names that are newer than the one before that commit."""
        return self._until.index((rename.new, rename.at)) + 1

    def at(self, instant: datetime, passed: int = 0) -> str:
        """Gives the name at an instant, less the newest `passed`: a commit's whole second may precede its move."""
        for name, since in self._until[passed:]:
            if instant >= since.replace(microsecond=0):
                return name
        return self.now
