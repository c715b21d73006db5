"""Reads closed transcripts as turns for extraction, and runs an extractor on some (D28)."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import MemdeckError, UsageError
from engine.extraction.entry import ExtractedEntry, located_entries
from engine.lifecycle.replay.comparison import TranscriptReading
from engine.sessions.folder import SessionFolder
from engine.sessions.session_file import read_session
from engine.text.canonical_json import sha256_hex
from engine.topics.messages import SessionTurn
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.transcript_root import TranscriptRoot

_CLOSED = re.compile(rf"{CONVERSATIONS}/(?:.*/)?\d{{4}}-[^-/]+-[^/]+\.md")  # an open one has no slug yet (decision D42)


def asked_transcripts(snapshot: Snapshot, asked: Collection[str]) -> list[str]:
    """Gives these closed transcripts, by default all, in order; `UsageError` for an unknown path."""
    closed = closed_transcripts(snapshot)
    for path in asked:
        if path not in closed:
            raise UsageError("there is no such closed transcript", where=path[:200])
    return [path for path in closed if not asked or path in asked]


def closed_transcripts(snapshot: Snapshot) -> list[str]:
    """Gives the paths of all closed transcripts, in order."""
    return [path for path in sorted(snapshot.files) if _CLOSED.fullmatch(path)]


def transcript_turns(root: WorkspaceRoot, path: str) -> tuple[SessionTurn, ...]:
    """Gives every message of a transcript that has a time; `UsageError` where it cannot be read."""
    messages = read_session(SessionFolder(root, CONVERSATIONS), path).messages
    return tuple(one.turn(path) for one in messages if one.message.time is not None and not one.message.injected)


FindEntries = Callable[[Sequence[SessionTurn]], Iterable[ExtractedEntry]]
"""An extractor: a module's function, so that another process can find it by name."""


class ReadingPlace(NamedTuple):
    """The workspace's folder, and the transcript root outside it, empty if there is none (decision D32)."""

    folder: str
    outside: str = ""


def read_transcripts(
    place: ReadingPlace, transcripts: Sequence[tuple[str, str]], find: FindEntries, version: str
) -> list[TranscriptReading]:
    """Gives the readings of transcripts, each a path and a hash; skips changed and missing ones."""
    with WorkspaceRoot.open(Path(place.folder)) as root:
        root.transcripts = TranscriptRoot.open(place.outside, root.identity.path) if place.outside else None
        return [one for path, sha256 in transcripts if (one := _reading(root, path, sha256, find, version)) is not None]


def _reading(root: WorkspaceRoot, path: str, sha256: str, find: FindEntries, version: str) -> TranscriptReading | None:
    try:
        data = root.read(path)
        turns = transcript_turns(root, path)
    except MemdeckError:
        return None
    if sha256_hex(data) != sha256:
        return None
    return TranscriptReading(path, sha256, version, located_entries(data, find(turns)))
