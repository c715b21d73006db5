"""Describes each batch, and saves it in the state folder before anything is sent (decision D48)."""

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from engine.models.model_task import Price, Usage
from engine.state.private_files import known_record, make_private, remove_private, write_private
from engine.workspace.system_calls import is_running

MOST_DONE = 20  # batches that are over and still listed
_PLAIN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")


class BatchState(StrEnum):
    """The state of a batch, as far as this machine knows."""

    MADE = "made"  # nothing was sent yet
    SENDING = "sending"  # it is being sent; once that process is gone, nobody knows whether it was
    UNCLEAR = "unclear"
    SENT = "sent"
    DONE = "done"


class BatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One batch: its purpose, its questions with the most that each may use, and the result."""

    id: str
    state: BatchState
    role: str
    model: str
    plan: str
    made_at: datetime
    pid: int
    url: str  # the address that it was sent to, empty for the service's own
    price: Price
    most: Mapping[str, Usage]  # by the id of a question, the digest of all that it asks
    remote: str = ""  # the service's own id, once it is known
    why: str = ""  # the reason of an unclear one
    ends: Mapping[str, str] = {}
    """By question, the end of its fetched answer; `end_turn` for a complete one."""
    usd: float = 0.0  # dollars in all, once it is done

    @property
    def usd_at_most(self) -> float:
        return sum(self.price.cost(usage) for usage in self.most.values())

    @property
    def lost(self) -> bool:
        """Tells whether the process that was sending it ended without recording the outcome."""
        return self.state is BatchState.SENDING and not is_running(self.pid)


class BatchFolder:
    """One private file for each batch."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> tuple[BatchRecord, ...]:
        """All records, the oldest first. Unreadable files are left out."""
        found = (known_record(file, BatchRecord) for file in sorted(self._folder.glob("*.json")))
        return tuple(record for record in found if record is not None)

    def load(self, ident: str) -> BatchRecord | None:
        """The record with that id, or None."""
        return known_record(self._file(ident), BatchRecord) if _PLAIN.fullmatch(ident) else None

    def save(self, record: BatchRecord) -> None:
        """Saves a record; it is on disk when this returns. Only the last twenty finished ones are kept."""
        make_private(self._folder)
        write_private(self._file(record.id), msgspec.json.encode(record))
        if record.state is BatchState.DONE:
            done = [record for record in self.all() if record.state is BatchState.DONE]
            for record in done[:-MOST_DONE]:
                self.remove(record.id)

    def remove(self, ident: str) -> None:
        """Forgets a record."""
        remove_private(self._file(ident))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lets one process at a time check which questions are under way, and record those that it will send."""
        make_private(self._folder)
        fd = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def _file(self, ident: str) -> Path:
        return self._folder / f"{ident}.json"
