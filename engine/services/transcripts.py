"""Reads the closed transcripts of a workspace as the turns that extraction takes."""

import re
from collections.abc import Collection, Iterator

from engine.errors import UsageError
from engine.sessions.folder import SessionFolder
from engine.sessions.session_file import read_session
from engine.topics.messages import SessionTurn
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot

_CLOSED = re.compile(rf"{CONVERSATIONS}/(?:.*/)?\d{{4}}-[^-/]+-[^/]+\.md")
"""An open one has no slug yet (decision D42)."""


def closed_turns(root: WorkspaceRoot, snapshot: Snapshot) -> tuple[SessionTurn, ...]:
    """Every message of every closed transcript, in the order of their paths. What memory was told is no turn of it."""
    return tuple(turn for path in closed_transcripts(snapshot) for turn in transcript_turns(root, path))


def asked_transcripts(snapshot: Snapshot, asked: Collection[str]) -> list[str]:
    """The paths of the closed transcripts asked for, in order, of all without any; `UsageError` for what is none."""
    closed = closed_transcripts(snapshot)
    for path in asked:
        if path not in closed:
            raise UsageError("there is no such closed transcript", where=path[:200])
    return [path for path in closed if not asked or path in asked]


def closed_transcripts(snapshot: Snapshot) -> list[str]:
    """The paths of all closed transcripts, in order."""
    return [path for path in sorted(snapshot.files) if _CLOSED.fullmatch(path)]


def transcript_turns(root: WorkspaceRoot, path: str) -> tuple[SessionTurn, ...]:
    """Every message of a transcript with a time; `UsageError` where it cannot be read."""
    return tuple(_turns(SessionFolder(root, CONVERSATIONS), path))


def _turns(place: SessionFolder, path: str) -> Iterator[SessionTurn]:
    for one in read_session(place, path).messages:
        if one.message.time is not None and not one.message.injected:
            yield SessionTurn(
                source=path,
                line=one.line,
                session=one.message.session,
                role=one.role.value,
                text=one.message.text,
                said_at=one.message.time,
                mark=one.mark,
                tool_calls=one.message.tool_calls,
            )
