"""Counts each file's uses: in prompts, searches and the agent's reading (decision D46)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from engine.errors import MemdeckError, UsageError
from engine.services.open_workspace import OpenWorkspace
from engine.text.safe_text import visible_line

if TYPE_CHECKING:
    from engine.context.compile.prompt import CompiledPrompt
    from engine.lifecycle.references.file_links import NoteLinks
    from engine.lifecycle.references.reference_days import Days, ReferenceDays
    from engine.sessions.messages import SessionMessage

SWEEP = "references"  # the name under which the last look at the sessions' reading is remembered
FIRST_SWEEP = timedelta(days=120)
"""Sessions older than this are not read at the first time, since one reading is forgotten after 108 days."""
_READING = frozenset({"read", "view", "cat", "open", "memory_get", "read_file", "readfile", "fetch"})
"""The tools that read a file, by the last part of their names."""


class ReferenceService:
    """Records uses in the operator's state; counts nothing under a what-if time."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def compiled(self, made: "CompiledPrompt") -> None:
        """Counts the files of a prompt that was given out, not of one that was only viewed."""
        self._add("compiled", [item.path for item in made.items if item.path and item.end])

    def opened(self, path: str) -> None:
        self._add("opened", [path])

    def links(self, note: str) -> "NoteLinks":
        """Gives a note's links and backlinks, by its path or name; `UsageError` for an unknown or ambiguous name."""
        from engine.lifecycle.references.file_links import NoteNames, note_with_links

        snapshot = self._opened.fresh(look=True)
        path = note
        if note not in snapshot.files:
            named = NoteNames(snapshot.files).named(note)
            path = named.path
            if named.several:
                known = visible_line(", ".join(named.several))
                raise UsageError("several notes have this name", where=visible_line(note), hint=known)
        if not path:
            raise UsageError("there is no such note", where=visible_line(note), hint="memdeck search finds notes")
        return note_with_links(path, snapshot.files, snapshot.content)

    def _add(self, kind: str, paths: Iterable[str]) -> None:
        from engine.lifecycle.references.reference_days import ReferenceDays, ReferenceKind

        opened = self._opened
        if opened.what_if is None:
            today = opened.real_clock().astimezone(opened.policy.time_zone).date()
            ReferenceDays(opened.database).add(ReferenceKind(kind), tuple(paths), today)

    def days(self, paths: Collection[str]) -> "Mapping[str, Days]":
        """Gives the days of use of these paths, after reading the sessions since the last time (decision D46)."""
        from engine.lifecycle.references.reference_days import ReferenceDays

        days = ReferenceDays(self._opened.database)
        if self._opened.what_if is None:
            self._take_session_reads(days, paths)
        return days.all()

    def _take_session_reads(self, days: "ReferenceDays", paths: Collection[str]) -> None:
        from engine.lifecycle.references.reference_days import ReferenceKind

        now, last_runs, zone = self._opened.real_clock(), self._opened.last_runs, self._opened.policy.time_zone
        folder = self._opened.root.identity.path.rstrip("/") + "/"
        for at, one, _ in new_messages(self._opened, last_runs.all().get(SWEEP, now - FIRST_SWEEP)):
            calls = (call for call in one.message.tool_calls if call.name.casefold().rpartition("__")[2] in _READING)
            for path in (said.removeprefix(folder) for call in calls for said in (*call.paths, call.target)):
                if path in paths and at <= now:
                    days.add(ReferenceKind.READ, (path,), at.astimezone(zone).date())
        last_runs.record(SWEEP, now)


def new_messages(opened: OpenWorkspace, since: datetime) -> "Iterator[tuple[datetime, SessionMessage, bool]]":
    """Yields the messages of sessions that changed since `since`, each with its time and if it is a first one."""
    from engine.sessions.folder import listed_once
    from engine.sessions.follows import session_places
    from engine.sessions.session_file import read_session

    with session_places(opened.root, opened.database) as places:
        for place, file in listed_once(places):
            with suppress(MemdeckError):
                messages = read_session(place, file.path).messages if file.written >= since else ()
                yield from ((one.message.time or file.written, one, n == 0) for n, one in enumerate(messages))
