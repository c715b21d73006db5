"""Lists explorations: branches `explore/*` to try something, `extract/*` of replays, each with its folder (D55)."""

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from engine.history.commit_dates import instant_of
from engine.history.git import read_regular
from engine.history.repository import Repository

PREFIX, EXTRACT = "explore/", "extract/"
LASTS = timedelta(days=7)  # an exploration that is older is reported, and offered to a plan
_REFS = "refs/heads/"
_LOG_BYTES = 4096  # bytes of a file of git's whose first line is read: a log, or a worktree's `HEAD` and `gitdir`
_PACKED_BYTES = 16 << 20  # bytes of `packed-refs`, which holds a line for each ref


class Exploration(msgspec.Struct, frozen=True):
    """A branch to try something. `begun` is its first reflog entry, or its last commit where there is none."""

    name: str
    commit: str
    begun: datetime
    folder: str = ""  # the folder in which it is checked out; empty for none
    prefix: str = PREFIX

    @property
    def branch(self) -> str:
        return f"{self.prefix}{self.name}"

    def is_old(self, now: datetime) -> bool:
        """Tells whether it is older than an exploration should get."""
        return now - self.begun > LASTS


def explorations(repository: Repository) -> tuple[Exploration, ...]:
    """Gives every exploration, the oldest first. git is not run where there is none."""
    folder = repository.git.folder
    if not _has_any(folder):
        return ()
    form = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(committerdate:unix)"
    asked = [f"{_REFS}{prefix}" for prefix in (PREFIX, EXTRACT)]
    rows = repository.git.run("for-each-ref", form, *asked).decode("utf-8", "replace").splitlines()
    places = dict(_worktrees(folder))
    found = []
    for cells in (row.split("\0") for row in rows):
        if len(cells) == 4 and cells[1] == "commit":
            kind, _, name = cells[0].removeprefix(_REFS).partition("/")
            begun = _begun(folder / "logs" / cells[0]) or instant_of(cells[3])
            found.append(Exploration(name, cells[2], begun, places.get(cells[0], ""), f"{kind}/"))
    return tuple(sorted(found, key=lambda exploration: (exploration.begun, exploration.branch)))


def _has_any(folder: Path) -> bool:
    for prefix in (PREFIX, EXTRACT):
        with suppress(OSError):
            if any((folder / _REFS / prefix).iterdir()):
                return True
    with suppress(OSError):
        packed = read_regular(folder / "packed-refs", _PACKED_BYTES)
        return any(f" {_REFS}{prefix}".encode() in packed for prefix in (PREFIX, EXTRACT))
    return (folder / "reftable").is_dir()


def _worktrees(folder: Path) -> "Sequence[tuple[str, str]]":
    found = []
    with suppress(OSError):
        for place in sorted((folder / "worktrees").iterdir()):
            with suppress(OSError):
                head = os.fsdecode(read_regular(place / "HEAD", _LOG_BYTES)).strip()
                gitfile = os.fsdecode(read_regular(place / "gitdir", _LOG_BYTES)).strip()
                found.append((head.removeprefix("ref: "), gitfile.removesuffix("/.git")))
    return found


def _begun(log: Path) -> datetime | None:
    """Gives the instant of a reflog's first entry, `OLD NEW NAME <MAIL> SECONDS ZONE`; None if there is none."""
    try:
        first = read_regular(log, _LOG_BYTES).partition(b"\n")[0]
    except OSError:
        return None
    words = first.partition(b"\t")[0].rpartition(b"> ")[2].split()
    return instant_of(words[0].decode("ascii", "replace")) if words and words[0].isdigit() else None
