"""Gives the turns of followed sessions that no applied flush covers (decision B18)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.plans.memory_integrity import FLUSH
from engine.plans.queue import Queue
from engine.plans.records.operations import Operations
from engine.services.open_workspace import OpenWorkspace
from engine.sessions.folder import SessionFolder, listed_once
from engine.sessions.follows import session_places
from engine.state.database import StateDatabase
from engine.text.secrets.detector import redact
from engine.workspace.paths import WorkspaceRoot

if TYPE_CHECKING:
    from engine.flush.items import FlushSession
    from engine.sessions.messages import SessionMessage
    from engine.topics.messages import SessionTurn

RECENT = timedelta(hours=48)
"""A session is flushed if its file changed within this time, so that the daily run covers the whole day before."""
LONGEST_TURN = 4 * 1024 * 1024
"""The characters of one turn that a flush reads; a watcher reads the first 64 KB."""


def unsaved_sessions(opened: OpenWorkspace) -> "tuple[FlushSession, ...]":
    """Gives the sessions that changed recently, with the turns that no applied flush covers, oldest first."""
    root, database, saved = opened.root, opened.database, saved_turns(opened.operations, opened.queue)
    backed_up = [session for session in _backed_up(root, opened.state.path, database, saved) if session is not None]
    with session_places(root, database) as places:
        files = sorted(listed_once(places), key=lambda one: (one[1].modified, one[1].path))
        recent = [
            flush_session(place, file.path, saved)
            for place, file in files
            if opened.real_clock() - file.written <= RECENT
        ]
    others = [*(session.source for session in backed_up), *(file.path for _, file in files)]
    sessions = (session for session in (*backed_up, *recent) if session is not None and session.turns)
    return tuple(session for session in sessions if not _is_copy(session, others))


def _is_copy(session: "FlushSession", others: list[str]) -> bool:
    """Tells whether a transcript was captured from a session whose own file exists, which then counts instead."""
    name = f"{session.session}.jsonl"
    return session.source.endswith(".md") and session.session != "" and any(one.endswith(name) for one in others)


def _backed_up(
    root: WorkspaceRoot, state: Path, database: StateDatabase, saved: dict[str, int]
) -> "Iterator[FlushSession | None]":
    """Yields the newest backup of each session whose own file is gone (B19)."""
    from engine.sessions.backups import SessionBackups

    backups = SessionBackups(state, database)
    for backup in {one.source: one for one in backups.all()}.values():
        named = backup.source
        is_there = Path(named).is_file() if named.startswith("/") else root.read_or_none(named) is not None
        if not is_there:
            with suppress(MemdeckError), backups.place() as place:
                yield flush_session(place, backup.file, saved, named)


def flush_session(place: SessionFolder, path: str, saved: dict[str, int], source: str = "") -> "FlushSession | None":
    """Reads a session file for a flush; None where it cannot be read. `source` is the name of a backup's session."""
    from engine.flush.items import FlushSession
    from engine.sessions.session_file import read_session

    source = source or place.source(path)
    try:
        messages = read_session(place, path, LONGEST_TURN).messages
    except MemdeckError:
        return None
    said = [message for message in messages if not message.message.injected]
    first = saved.get(source, 0)
    turns = tuple(_turn(number, source, one) for number, one in enumerate(said, 1) if number > first)
    name = said[-1].message.session if said else ""
    return FlushSession(source=source, session=name, turns=turns, left_out=sum(one.left_out for one in said[first:]))


class AppliedFlush(msgspec.Struct, frozen=True):
    """A session's part in an applied flush: the last turn and line covered, and when it was applied."""

    source: str
    last: int
    last_line: int
    at: datetime
    operation: str


def applied_flushes(records: Operations, queue: Queue) -> tuple[AppliedFlush, ...]:
    """Gives what each applied flush covers, from the operator's records; an undone flush covers nothing."""
    covered = []
    for outline in records.outlines():
        if outline.system != FLUSH or not outline.stands:
            continue
        with suppress(MemdeckError):  # a record that cannot be read covers nothing
            operation = records.load(outline.name)
            told = queue.load(operation.plan).facts.get("sessions")
            done = {"at": operation.finished_at or operation.started_at, "operation": outline.name}
            for one in (one for one in told if isinstance(one, dict)) if isinstance(told, list) else ():
                with suppress(msgspec.ValidationError):
                    values = {key: one.get(key) for key in ("source", "last", "last_line")}
                    covered.append(msgspec.convert(values | done, AppliedFlush))
    return tuple(covered)


def saved_turns(records: Operations, queue: Queue) -> dict[str, int]:
    """Gives the last turn that applied flushes cover, by source."""
    flushes = sorted(applied_flushes(records, queue), key=lambda flush: flush.last)
    return {flush.source: flush.last for flush in flushes}


def _turn(number: int, source: str, heard: "SessionMessage") -> "SessionTurn":
    text = redact(heard.message.text, keep_lines=True)
    return msgspec.structs.replace(heard.turn(source, number), text=text, tool_calls=())
