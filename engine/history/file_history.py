"""Reads what was committed of a file, its newest version first (decision D56)."""

from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from engine.history.gitpython_reader import history_reader
from engine.history.repository import Repository

MOST_COMMITS = 20
"""Commits that touched the file which are looked at."""


class CommittedVersion(msgspec.Struct, frozen=True):
    """The bytes of a file in one commit, and when that was made."""

    commit: str
    at: datetime
    data: bytes


def committed_versions(repository: Repository, path: str) -> Iterator[CommittedVersion]:
    """Gives the versions of a workspace's file, newest first; neither filters nor diff drivers are run (D22).

    Commits without the file are passed over. Raises `GitFailed`, and `ValueError` for a date beyond the calendar.
    """
    name = repository.prefix + path
    reader = history_reader(repository.git)
    listing = reader.log("HEAD", "--", name, max_count=MOST_COMMITS, format="%H %ct")
    for line in listing.decode("ascii", "replace").splitlines():
        commit, _, seconds = line.partition(" ")
        code, data, _ = reader.cat_file("blob", f"{commit}:{name}", with_extended_output=True, with_exceptions=False)
        if code == 0:
            yield CommittedVersion(commit, datetime.fromtimestamp(int(seconds), UTC), data)
