"""A whole session file at once, for a replay."""

from datetime import UTC, datetime

import msgspec

from engine.errors import UsageError
from engine.sessions.folder import SessionFolder
from engine.sessions.messages import LONGEST_TEXT, LineProblem, SessionMessage
from engine.sessions.session_file import PAUSE, SessionFile

MOST = 100_000  # messages that are read of one file
_NOON = datetime(2000, 1, 1, 12, tzinfo=UTC)
"""Any instant: a file that is read whole has no clock, and only differences count."""


class Session(msgspec.Struct, frozen=True):
    """The messages of a session file in order, and the lines that were skipped, by reason."""

    source: str
    messages: tuple[SessionMessage, ...]
    skipped: dict[LineProblem, int]


def read_session(place: SessionFolder, path: str, longest: int = LONGEST_TEXT) -> Session:
    """A whole file, of each message at most `longest` characters. `UsageError` where it cannot be read. Turns that were
    given up in the file's tree are none of it (decision D58)."""
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
