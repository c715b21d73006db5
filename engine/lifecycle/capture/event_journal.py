"""Stores the events of an open session in the operator's state, each before its turn is in the transcript. The
transcript is made of them alone, so that no crash loses an event or writes one twice."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from engine.errors import Damaged, Refused, UsageError
from engine.lifecycle.capture.events import CaptureEvent, encoded, read_event
from engine.lifecycle.capture.transcript_text import file_key
from engine.state.private_files import make_private, step
from engine.workspace.system_calls import fsync_folder, write_all

FOLDER = "capture"
_ENDING = ".jsonl"


class EventJournal:
    """The journal of one session, locked by one process. `events` are those it had when it was opened."""

    def __init__(self, file: Path) -> None:
        """Opens or makes it. `Refused` where another process has it, `Damaged` where a line is no event."""
        self.file = file
        make_private(file.parent)
        step("capture-journal-open")
        self._fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            _hold(self._fd, file)
            self.events = _whole_events(self._fd, file)
            fsync_folder(file.parent)
        except BaseException:
            os.close(self._fd)
            raise

    @classmethod
    def of(cls, state: Path, session: str) -> Self:
        """Gives the journal of a session by its id."""
        return cls(state / FOLDER / f"{file_key(session)}{_ENDING}")

    @staticmethod
    def is_held(file: Path) -> bool:
        """Tells whether a process is capturing the session of this journal."""
        try:
            fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
        return False

    @property
    def closed(self) -> bool:
        return self._fd < 0

    def close(self) -> None:
        """Closes it; closing twice is fine."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def append(self, event: CaptureEvent) -> None:
        """Adds an event; it is on disk when this returns."""
        step("capture-journal-write")
        write_all(self._fd, encoded(event))
        step("capture-journal-fsync")
        os.fsync(self._fd)

    def remove(self) -> None:
        """Removes the journal of a session whose transcript is closed and recorded."""
        step("capture-journal-remove")
        self.file.unlink(missing_ok=True)
        fsync_folder(self.file.parent)


def journals(state: Path) -> Iterator[Path]:
    """Yields the journals of open sessions, by name."""
    with suppress(FileNotFoundError):
        yield from sorted(path for path in (state / FOLDER).iterdir() if path.name.endswith(_ENDING))


def _hold(fd: int, file: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Refused("another process captures this session", where=file.stem, hint="wait until it ends") from error


def _whole_events(fd: int, file: Path) -> tuple[CaptureEvent, ...]:
    """Gives the events of complete lines; cuts off a line that a kill left incomplete."""
    data = bytearray()
    while part := os.read(fd, 1 << 20):
        data += part
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.ftruncate(fd, end)
    try:
        return tuple(read_event(bytes(line)) for line in data[:end].splitlines())
    except UsageError as error:
        raise Damaged(f"the journal of a session: {error.message}", where=str(file), hint="move it away") from error
