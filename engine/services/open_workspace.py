"""Holds what the services share of one open workspace: its parts, its last snapshot and the supposed instant."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from engine.errors import MemdeckError, UsageError
from engine.services.wiring import Wiring
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick


class OpenWorkspace:
    """One open workspace. `lock` is held while it is looked at, planned for, or its records are changed."""

    def __init__(self, parts: Wiring, env: Mapping[str, str], given: Snapshot | None = None) -> None:
        """`given` stands in the place of every look at the folder: the workspace as it will be after a plan."""
        self.parts = parts
        self.env = env
        self.lock = threading.RLock()
        self.snapshot = self._given = given
        self.supposing = False
        """True while the operator supposes an instant: nothing runs by itself meanwhile."""
        self._opened_for = parts.what_if

    def now(self) -> datetime:
        """The instant decisions are made for: what-if time, or real time."""
        return self.parts.now()

    def real_now(self) -> datetime:
        """Real time, for approvals and ages."""
        return self.parts.real_clock()

    def suppose(self, at: datetime | None) -> None:
        """From now on decides as if it were `at`; None: as it was opened."""
        if at is not None and at.tzinfo is None:
            raise UsageError("a what-if time needs an offset", where=at.isoformat(), hint="like 2026-03-15T03:00+00:00")
        with self.lock:
            what_if = at if at is not None else self._opened_for
            self.parts = replace(self.parts, what_if=what_if, context=replace(self.parts.context, now=what_if))
            self.supposing = at is not None

    def scan(self, tick: Tick | None = None) -> Snapshot:
        """Lists the whole workspace, opening only what changed."""
        with self.lock:
            self.snapshot = self._given or self.parts.scanner.scan(self.now(), tick=tick)
            return self.snapshot

    def refresh(self, paths: Sequence[str]) -> Snapshot:
        """Looks at these paths alone."""
        with self.lock:
            self.snapshot = self.parts.scanner.refresh(paths, self.now())
            return self.snapshot

    def fresh(self, look: bool, tick: Tick | None = None) -> Snapshot:
        """The workspace as it is now, or as the watcher last left it, which waits for no dry run."""
        held = self.snapshot
        if not look and held is not None:
            return held
        with self.lock:
            return self.scan(tick) if look or self.snapshot is None else self.snapshot

    def record_run(self, job: str) -> None:
        """Remembers that a job ran: it is not due until its next occurrence. For a supposed instant nothing ran."""
        if not self.supposing:
            self.parts.last_runs.record(job, self.now())

    def close(self) -> None:
        """Stores what was read for the next start, and closes the folder."""
        self.parts.database.close()
        self.parts.scanner.close()
        self.parts.root.close()


@contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """Has what the disk refuses come out as an error of ours."""
    try:
        yield
    except OSError as error:
        raise MemdeckError(f"{what}: {error.strerror or error}", where=str(error.filename or "")) from error
