"""Reads one session file: its new messages, or all of it for a replay."""

from collections import Counter, deque
from datetime import UTC, datetime, timedelta
from typing import Protocol

import msgspec

from engine.errors import UsageError
from engine.sessions.folder import SessionFolder
from engine.sessions.line_buffer import RawLine
from engine.sessions.messages import LONGEST_TEXT, LineProblem, SessionMessage
from engine.sessions.tail import FileChange, ReadMark, Tail
from engine.workspace.paths import WorkspaceRoot


class SessionReader(Protocol):
    """Converts the lines of one file to messages, in order; never raises."""

    problems: Counter[LineProblem]  # lines that were skipped, by reason
    session: str  # the session as the file names it; before it does, the file's own name

    def read(self, line: RawLine) -> list[SessionMessage]:
        """Returns the messages that this line completes."""

    def pause(self) -> list[SessionMessage]:
        """Returns the messages held back for a later line, when none has come for a while."""

    @property
    def waits(self) -> bool:
        """True if `pause` would return something."""

    @property
    def abandoned(self) -> frozenset[str]:
        """The ids of given-up lines, in a file that was read whole (decision D58)."""


def reader_for(path: str, source: str, longest: int = LONGEST_TEXT, *, whole: bool = False) -> SessionReader:
    """Returns the reader for a file, by its ending. `source`: the messages' source; `longest`: most characters of a
    message. `whole`: returns nothing before the end."""
    from engine.sessions.json_lines import JsonLines
    from engine.sessions.transcript import Transcript

    return Transcript(source, longest) if path.endswith(".md") else JsonLines(source, longest, whole=whole)


PAUSE = timedelta(seconds=1)  # after so long without another byte the last turn of a transcript counts as said


class SessionFile:
    """The messages of one file in order. Keeps the offset of handled messages, so that a restart continues there."""

    def __init__(
        self,
        root: WorkspaceRoot,
        path: str,
        source: str,
        mark: ReadMark | None = None,
        *,
        longest: int = LONGEST_TEXT,
        whole: bool = False,
    ) -> None:
        self._longest, self._whole = longest, whole
        # A transcript's turns build on each other: it is read from its beginning, and what was read before stays quiet.
        from_start = path.endswith(".md")
        self.tail = Tail(root, path, mark=None if from_start else mark)
        self.source = source
        self.problems: Counter[LineProblem] = Counter()
        self.changes: Counter[FileChange] = Counter()
        self.lost = 0  # bytes that were gone before they were read
        self._root = root
        self._reader: SessionReader = reader_for(path, source, longest, whole=whole)
        self._waiting: deque[tuple[SessionMessage, int, datetime | None]] = deque()
        """Messages with the offset behind each, and since when they have been there."""
        self._handed_on = mark.offset if mark is not None else 0
        self._quiet_mark = mark if from_start else None
        self._quiet_until = mark.offset if from_start and mark is not None else 0

    @property
    def path(self) -> str:
        return self.tail.path

    @property
    def session(self) -> str:
        return self._reader.session

    @property
    def abandoned(self) -> frozenset[str]:
        return self._reader.abandoned

    @property
    def busy(self) -> bool:
        """True if something was not handed on."""
        return bool(self._waiting) or self.tail.pending > 0 or self._reader.waits

    @property
    def waiting_since(self) -> datetime | None:
        """The time since which the oldest message or byte has waited; None if nothing waits."""
        if self._waiting:
            return self._waiting[0][2]
        return self.tail.waiting_since

    def look(self, now: datetime) -> bool:
        """Checks the file; returns whether it was read to its end and replaced or removed."""
        self.tail.look(now)
        self._notice_changes()
        return self._is_left()

    def turn_over(self, now: datetime) -> None:
        """Continues with the file that took the name, if any; an incomplete last line counts."""
        if not self._is_left():
            return
        since = self.tail.grown_at
        for line in self.tail.turn_over():
            self._add(self._reader.read(line), 0, since)
        self._add(self._reader.pause(), 0, since)
        self._notice_changes()
        self.tail.look(now)

    def take(self, most: int) -> list[SessionMessage]:
        """Returns at most `most` next messages; reads a piece of the file if none wait."""
        if not self._waiting and self.tail.pending:
            self._read()
        taken: list[SessionMessage] = []
        while self._waiting and len(taken) < most:
            message, self._handed_on, _ = self._waiting.popleft()
            taken.append(message)
        if not self._waiting and not self._reader.waits:
            # Lines without a message are behind us as well.
            self._handed_on = max(self._handed_on, self.tail.offset)
        return taken

    def settle(self, now: datetime) -> None:
        """Completes the last turn after a pause without new text."""
        grown = self.tail.grown_at
        if self._reader.waits and not self.tail.pending and (grown is None or now - grown >= PAUSE):
            if self.tail.offset <= self._quiet_until:
                self._reader.pause()
            else:
                self._add(self._reader.pause(), self.tail.offset, grown)

    def mark(self) -> ReadMark | None:
        """Returns the mark for a restart."""
        if self._quiet_mark is not None and self._handed_on <= self._quiet_mark.offset:
            return self._quiet_mark
        return self.tail.mark(self._handed_on)

    def rename(self, path: str, source: str) -> None:
        """Records the file's new name."""
        self.tail.path, self.source = path, source

    def close(self) -> None:
        self.tail.close()

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> None:
        since = self.tail.waiting_since
        for line in self.tail.read():
            if self._quiet_until and line.offset >= self._quiet_until:
                self._reader.pause()
                self._quiet_until = 0
            said = self._reader.read(line)
            if said and not self._quiet_until:
                # What a heading ends was said before it; what a line of JSON says is said with its last byte.
                end = line.offset if self.path.endswith(".md") else line.offset + len(line.data) + 1
                self._add(said, end, since)
        self._count()

    def _add(self, messages: list[SessionMessage], end: int, since: datetime | None) -> None:
        self._waiting.extend((message, end, since) for message in messages)

    def _notice_changes(self) -> None:
        if not self.tail.changes:
            return
        anew = set(self.tail.changes) != {FileChange.SHORTENED}
        self.changes.update(self.tail.changes)
        self.tail.changes.clear()
        self._count()
        if not anew:
            return
        self._reader = reader_for(self.path, self.source, self._longest, whole=self._whole)
        self._handed_on, self._quiet_until, self._quiet_mark = 0, 0, None
        # What was read of the old file is still handed on; its offsets mean nothing in the new one.
        self._waiting = deque((message, 0, since) for message, _, since in self._waiting)

    def _is_left(self) -> bool:
        return not self._waiting and not self.tail.pending and self.tail.is_open and self.tail.replaced()

    def _count(self) -> None:
        self.problems.update(self._reader.problems)
        self._reader.problems.clear()
        self.lost += self.tail.lost
        self.tail.lost = 0
        if self.tail.too_long:
            self.problems[LineProblem.TOO_LONG] += self.tail.too_long
            self.tail.too_long = 0


MOST = 100_000  # messages that are read of one file
_NOON = datetime(2000, 1, 1, 12, tzinfo=UTC)
"""Any instant: reading a whole file needs no clock, only differences count."""


class Session(msgspec.Struct, frozen=True):
    """The messages of a session file, and the skipped lines by reason."""

    source: str
    messages: tuple[SessionMessage, ...]
    skipped: dict[LineProblem, int]


def read_session(place: SessionFolder, path: str, longest: int = LONGEST_TEXT) -> Session:
    """Reads a file without given-up turns (D58), `longest` characters a message; `UsageError` if unreadable."""
    file = SessionFile(place.root, path, place.source(path), longest=longest, whole=True)
    heard: list[SessionMessage] = []
    try:
        file.look(_NOON)
        if not file.tail.is_open:
            raise UsageError("this session file cannot be read", where=place.source(path), hint="is it still there?")
        while len(heard) < MOST and file.busy:
            if not file.tail.pending:
                file.settle(_NOON + 2 * PAUSE)
            before = file.tail.pending
            taken = file.take(1000)
            heard += taken
            if not taken and file.tail.pending == before:
                break
    finally:
        file.close()
    gone = file.abandoned
    return Session(place.source(path), tuple(one for one in heard if one.entry not in gone), dict(file.problems))
