"""Writes the sessions of another tool into transcripts, as capture does: the one write that asks nobody (D32, D42)."""

from collections.abc import Iterable
from pathlib import Path

from engine.extras.importers.files import SourceFolder
from engine.extras.importers.kinds import import_kind
from engine.extras.importers.place_content import HeldSessions, PlaceContent
from engine.extras.importers.session import ImportedSession
from engine.lifecycle.capture.events import CaptureEvent, SessionEnd, SessionStart, TurnEvent, encoded, event_key
from engine.lifecycle.capture.recorder import Captured
from engine.services.capture import CaptureService
from engine.workspace.values import Progress, Tick


def capture_sessions(
    capture: CaptureService, kind: str, place: Path, *, close: bool = True, tick: Tick | None = None
) -> tuple[list[Captured], list[str]]:
    """Captures the sessions of a file or folder, oldest first; what was captured before is not written again. Gives the
    transcripts that they were written into, and what could not be read.

    `close`: the sessions are over. A turn that a session has from another one stays where it was first (D58).
    """
    problems: list[str] = []
    told: list[Captured] = []

    def report(stage: str, done: int, total: int | None) -> None:
        if tick is not None:
            tick(Progress(stage, done, total))

    with SourceFolder(place) as folder, HeldSessions() as held:
        reading = PlaceContent(report, import_kind(kind), held)
        reading.read(folder)
        problems += reading.problems
        keys = {one.session: frozenset(one.keys) for one in capture.closed()}
        for count, session in enumerate(held.oldest_first(), 1):
            report("transcripts", count, len(held))
            events = _own(session, keys)
            if not events:
                continue
            for one in capture.record(map(encoded, _lines(session, events, kind, close))):
                if isinstance(one, Captured):
                    told.append(one)
                else:
                    problems.append(f"{session.source}: {one.what}")
    return told, problems


def _own(session: ImportedSession, keys: dict[str, frozenset[str]]) -> list[TurnEvent]:
    """The events of a session without copies of another's."""
    others = frozenset[str]().union(*(found for name, found in keys.items() if name != session.session))
    return [event for event in session.events if not event.id or event_key(event) not in others]


def _lines(session: ImportedSession, events: list[TurnEvent], kind: str, close: bool) -> Iterable[CaptureEvent]:
    yield SessionStart(
        session_id=session.session, started=events[0].time, model=session.model, channel=kind, topic=session.topic
    )
    yield from events
    if close:
        yield SessionEnd(ended=events[-1].time, tokens_in=session.tokens_in, tokens_out=session.tokens_out)
