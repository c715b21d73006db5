"""The turns of followed sessions that no flush has saved (decision B18)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.errors import MemdeckError
from engine.plans.flushed_turns import FLUSH
from engine.services.wiring import Wiring
from engine.sessions.folder import SessionFolder, listed_once
from engine.sessions.follows import FollowStore
from engine.workspace.layout import CONVERSATIONS

if TYPE_CHECKING:
    from engine.flush.unsaved_turns import FlushSession
    from engine.sessions.messages import SessionMessage
    from engine.topics.messages import SessionTurn

RECENT = timedelta(hours=48)
"""A session is flushed as long as its file changed within this time: the daily run takes the whole day before."""
LONGEST_TURN = 4 * 1024 * 1024
"""Characters of one turn that are read for a flush: nothing marked is behind the 64 KB that a watcher looks at."""


def unsaved_sessions(parts: Wiring) -> "tuple[FlushSession, ...]":
    """The sessions that changed of late with what no applied flush covers, the oldest first."""
    saved = saved_turns(parts)
    found = [*_backed_up(parts, saved), *(flush_session(place, path, saved) for place, path in _recent(parts))]
    return tuple(session for session in found if session is not None and session.turns)


def _backed_up(parts: Wiring, saved: dict[str, int]) -> "Iterator[FlushSession | None]":
    """The newest backup of each session whose own file is gone: a flush made of it is the one made then (B19)."""
    from engine.sessions.backups import SessionBackups

    backups = SessionBackups(parts.state.path, parts.database)
    for backup in {one.source: one for one in backups.all()}.values():
        if not _is_there(parts, backup.source):
            with suppress(MemdeckError), backups.place() as place:
                yield flush_session(place, backup.file, saved, backup.source)


def _is_there(parts: Wiring, source: str) -> bool:
    return parts.read_or_none(source) is not None if not source.startswith("/") else Path(source).is_file()


def flush_session(place: SessionFolder, path: str, saved: dict[str, int], source: str = "") -> "FlushSession | None":
    """A session file as a flush reads it; None where it cannot be read. `source` names it where it is a backup."""
    from engine.flush.unsaved_turns import FlushSession
    from engine.sessions.session import read_session

    source = source or place.source(path)
    try:
        messages = read_session(place, path, LONGEST_TURN).messages
    except MemdeckError:
        return None
    said = [one for one in messages if not one.message.injected]
    first = saved.get(source, 0)
    turns = tuple(_turn(number, source, one) for number, one in enumerate(said, 1) if number > first)
    name = said[-1].message.session if said else ""
    left_out = sum(one.left_out for one in said[first:])
    return FlushSession(source=source, session=name, turns=turns, left_out=left_out)


class AppliedFlush(msgspec.Struct, frozen=True):
    """A session's part of an applied flush: the last turn and line that it covers, and when it was applied."""

    source: str
    last: int
    last_line: int
    at: datetime
    operation: str


def applied_flushes(parts: Wiring) -> tuple[AppliedFlush, ...]:
    """Reads what applied flushes cover from the operator's own records; an undone one covers nothing."""
    found = []
    for outline in parts.context.operations.outlines():
        if outline.system != FLUSH or not outline.stands:
            continue
        for at, one in _sessions_of(parts, outline.name):
            with suppress(msgspec.ValidationError):
                values = {key: one.get(key) for key in ("source", "last", "last_line")}
                found.append(msgspec.convert(values | {"at": at, "operation": outline.name}, AppliedFlush))
    return tuple(found)


def saved_turns(parts: Wiring) -> dict[str, int]:
    """Gives by source the last turn that an applied flush covers."""
    covered: dict[str, int] = {}
    for one in applied_flushes(parts):
        covered[one.source] = max(one.last, covered.get(one.source, 0))
    return covered


def _sessions_of(parts: Wiring, name: str) -> list[tuple[datetime, dict[str, Any]]]:
    """The sessions that the plan of an operation tells, and when it was done; none where a record cannot be read."""
    try:
        operation = parts.context.operations.load(name)
        facts = parts.queue.load(operation.plan).facts
    except MemdeckError:
        return []
    at, found = operation.finished_at or operation.started_at, facts.get("sessions")
    return [(at, one) for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _turn(number: int, source: str, heard: "SessionMessage") -> "SessionTurn":
    from engine.text.secrets.detector import redact
    from engine.topics.messages import SessionTurn

    return SessionTurn(
        source=source,
        session=heard.message.session,
        role=heard.role.value,
        text=redact(heard.message.text, keep_lines=True),
        line=heard.line,
        number=number,
        said_at=heard.message.time,
        mark=heard.mark,
    )


def _recent(parts: Wiring) -> Iterator[tuple[SessionFolder, str]]:
    """The session files that changed of late, with their place, the oldest first."""
    places = [SessionFolder(parts.root, CONVERSATIONS)]
    places += [SessionFolder.open(path) for path in FollowStore(parts.database).now().there]
    try:
        files = [(file.modified, place, file.path) for place, file in listed_once(places)]
        now = parts.real_clock()
        for modified, place, path in sorted(files, key=lambda one: (one[0], one[2])):
            if now - datetime.fromtimestamp(modified / 1e9, UTC) <= RECENT:
                yield place, path
    finally:
        for place in places:
            place.close()
