"""Finds the day on which each file was first committed, for files without another date (decision G8)."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from engine.errors import MemdeckError
from engine.history.git import Git, GitTooSlow
from engine.history.repository import Repository

_FEW = 200  # up to so many paths git is asked about them alone, which lets it skip the commits that touch none

LONGEST = 10.0  # seconds that one question about the history may take; 100,000 commits need 2


class CommitDates:
    """The day of each file's first commit, in the workspace's zone."""

    def __init__(self, repository: Repository, zone: str) -> None:
        self._repository, self._zone = repository, ZoneInfo(zone)
        self.problem = ""  # the reason why it is no use to ask this repository again; empty for nothing

    def __call__(self, paths: Sequence[str]) -> dict[str, date]:
        """Gives the dates of the `paths` that were committed; none where git fails or takes too long."""
        prefix = self._repository.prefix
        try:
            head = self._repository.head()
            seconds = _first_commits(self._repository.git, head, [prefix + path for path in paths]) if head else {}
        except MemdeckError as error:
            if isinstance(error, GitTooSlow):
                self.problem = error.line()
            return {}
        return {path: _day(seconds[prefix + path], self._zone) for path in paths if prefix + path in seconds}


def _day(seconds: int, zone: ZoneInfo) -> date:
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone(zone).date()
    except (OverflowError, ValueError, OSError):  # a forged date beyond the calendar
        return date(1970, 1, 1)


def instant_of(seconds: str) -> datetime:
    """Converts git's seconds into an instant; 1970 for a text that is no number or lies beyond the calendar."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def _first_commits(git: Git, head: str, paths: Sequence[str]) -> dict[str, int]:
    """Gives the author's time of each path's first commit, in seconds since 1970."""
    asked = [head, "--", *paths] if len(paths) <= _FEW else [head]
    names = "\n".join(asked).encode("utf-8", "surrogateescape")
    written = dict(_written(git.run("rev-list", "--stdin", "--format=%H %at", stdin=names, timeout=LONGEST)))
    out = git.run("diff-tree", *_OPTIONS, stdin="".join(f"{commit}\n" for commit in written).encode(), timeout=LONGEST)
    wanted = frozenset(paths)
    first: dict[str, int] = {}
    for commit, path in _added(out):
        if path in wanted:
            at = written.get(commit, 0)
            # A file may be added on several branches, and again after it was gone.
            first[path] = min(at, first.get(path, at))
    return first


_OPTIONS = ("--stdin", "--root", "-r", "-z", "--name-status", "--diff-filter=A", "--no-renames", "--no-ext-diff")


def _written(listing: bytes) -> Iterator[tuple[str, int]]:
    """Yields the id and the seconds of each commit in the output of `rev-list`."""
    for row in listing.decode("ascii", "replace").splitlines():
        commit, _, seconds = row.partition(" ")
        if commit != "commit" and seconds.lstrip("-").isdecimal():
            yield commit, int(seconds)


def _added(out: bytes) -> Iterator[tuple[str, str]]:
    """Yields the commit and the path of each addition. The cell `A` precedes a path; other cells are commits."""
    cells = iter(os.fsdecode(out).split("\0"))
    commit = ""
    for cell in cells:
        if cell == "A":
            yield commit, next(cells, "")
        else:
            commit = cell.strip()
