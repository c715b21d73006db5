"""Counts what refers to each file: prompts, searches and the agent's own reading (decision D46)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from engine.errors import MemdeckError, UsageError
from engine.lifecycle.references.reference_days import ReferenceDays, ReferenceKind
from engine.services.open_workspace import OpenWorkspace
from engine.services.wiring import Wiring
from engine.text.safe_text import visible_line
from engine.workspace.dates import zone_of
from engine.workspace.layout import CONVERSATIONS

if TYPE_CHECKING:
    from engine.context.compile.prompt import CompiledPrompt
    from engine.lifecycle.references.file_links import NoteLinks
    from engine.sessions.folder import SessionFolder

SWEEP = "references"
"""The name under which the last look at the sessions' reading is remembered."""
FIRST_SWEEP = timedelta(days=120)
"""Sessions that changed before are not read the first time: a single reading is forgotten after 108 days."""
_READING = frozenset({"read", "view", "cat", "open", "memory_get", "read_file", "readfile", "fetch"})
"""Tools that read a file, by the last part of their names."""


class ReferenceService:
    """Keeps uses in the operator's state, and writes nothing else. Under a what-if clock nothing counts."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self._days = ReferenceDays(opened.parts.database)

    def compiled(self, made: "CompiledPrompt") -> None:
        """Counts the files of a prompt that was given out; one that was only looked at is not told here."""
        self._add(ReferenceKind.COMPILED, [one.path for one in made.items if one.path and one.end])

    def opened(self, path: str) -> None:
        """Counts that a file which a search found was opened."""
        self._add(ReferenceKind.OPENED, [path])

    def links(self, note: str) -> "NoteLinks":
        """The links of a note and to it, the note told by its path or by a name that is its alone. `UsageError` where
        there is no such note, or where several have the name."""
        from engine.lifecycle.references.file_links import note_with_links
        from engine.lifecycle.references.note_names import NoteNames

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

    def _add(self, kind: ReferenceKind, paths: Iterable[str]) -> None:
        parts = self._opened.parts
        if parts.what_if is None:
            self._days.add(kind, tuple(paths), parts.real_clock().astimezone(zone_of(parts.policy.zone)).date())


def take_session_reads(parts: Wiring, paths: frozenset[str]) -> None:
    """Counts what sessions read, of the workspace and followed, whose files changed since the last time."""
    if parts.what_if is not None:
        return
    now, days = parts.real_clock(), ReferenceDays(parts.database)
    since = parts.last_runs.all().get(SWEEP, now - FIRST_SWEEP)
    zone = zone_of(parts.policy.zone)
    for at, path in _reads(parts, since):
        if path in paths and at <= now:
            days.add(ReferenceKind.READ, (path,), at.astimezone(zone).date())
    parts.last_runs.record(SWEEP, now)


def _reads(parts: Wiring, since: datetime) -> Iterator[tuple[datetime, str]]:
    """The instants at which a session read a file of the workspace, with its path."""
    from engine.sessions.folder import SessionFolder, listed_once
    from engine.sessions.follows import FollowStore

    places = [SessionFolder(parts.root, CONVERSATIONS)]
    places += [SessionFolder.open(path) for path in FollowStore(parts.database).now().there]
    try:
        for place, file in listed_once(places):
            modified = datetime.fromtimestamp(file.modified / 1e9, UTC)
            if modified >= since:
                yield from _of_session(place, file.path, modified, parts.root.identity.path.rstrip("/") + "/")
    finally:
        for place in places:
            place.close()


def _of_session(place: "SessionFolder", path: str, modified: datetime, folder: str) -> Iterator[tuple[datetime, str]]:
    from engine.sessions.session import read_session

    with suppress(MemdeckError):
        for one in read_session(place, path).messages:
            for call in one.message.tool_calls:
                if call.name.casefold().rpartition("__")[2] in _READING:
                    at = one.message.time or modified
                    yield from ((at, said.removeprefix(folder)) for said in (*call.paths, call.target))
