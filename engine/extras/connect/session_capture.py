"""Writes the sessions of another tool into transcripts, as capture does: the only write without approval (D32, D42)."""

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.errors import Refused
from engine.extras.connect.connection import Connections
from engine.extras.connect.discovery import session_files
from engine.extras.connect.tool_data import tool_data
from engine.extras.importers.files import SourceFolder
from engine.extras.importers.kinds import import_kind
from engine.extras.importers.place_content import HeldSessions, PlaceContent
from engine.extras.importers.session import ImportedSession
from engine.lifecycle.capture.events import CaptureEvent, SessionEnd, SessionStart, TurnEvent, encoded, event_key
from engine.lifecycle.capture.recorder import Captured
from engine.lifecycle.requests import ExtractRequest
from engine.plans.planning import PlanRequest
from engine.schedule.job_runs import JobOutcome, planned
from engine.services.capture import CaptureService
from engine.services.open_workspace import OpenWorkspace
from engine.services.plans import PlanService
from engine.state.folder import state_home
from engine.workspace.values import Progress, Tick

OVER = timedelta(hours=6)  # time without a word after which the schedule takes a session to be over


class ConnectedSessions:
    """The sessions of the tools connected with this workspace, which hooks and the schedule capture."""

    def __init__(self, opened: OpenWorkspace, capture: CaptureService, plans: PlanService) -> None:
        self._opened, self._capture, self._plans = opened, capture, plans

    def take(
        self, found: Iterable[tuple[Path, str, bool]], tick: Tick | None = None, *, only: str = ""
    ) -> Iterator[JobOutcome]:
        """Writes sessions into transcripts. Each item: a file, its kind, and True if it is over. For finished ones a
        dry run shows what can be learnt. The error of a step is `Refused` if another process is writing it."""
        closed: list[str] = []
        for file, kind, over in found:
            try:
                made, problems = capture_sessions(self._capture, kind, file, close=over, tick=tick, only=only)
            except Refused as error:
                yield JobOutcome("capture", error=error)
                continue
            yield from (JobOutcome("capture", done=captured.path) for captured in made)
            yield from (JobOutcome("capture", skipped=line) for line in problems)
            closed += [captured.path for captured in made if not captured.open]
        if closed:
            request = PlanRequest(ExtractRequest(transcripts=tuple(closed)), unattended=True, tick=tick)
            yield planned("extract", self._plans.make("extract", request))

    def take_moved(self, since: datetime | None, tick: Tick | None = None) -> Iterator[JobOutcome]:
        """Takes every session that changed since then, or since its tool was connected."""
        now = self._opened.real_clock()
        yield from self.take(((file, kind, now - at >= OVER) for at, file, kind in sorted(self._moved(since))), tick)

    def _moved(self, since: datetime | None) -> Iterator[tuple[datetime, Path, str]]:
        folder = self._opened.root.identity.path
        for record in Connections(state_home(self._opened.env)).all():
            data = tool_data(record.tool)
            if not data.sessions or not record.follow or os.path.realpath(record.workspace) != folder:
                continue
            begin = record.at if since is None else max(record.at, since - OVER)
            for second, file, _ in session_files(data, self._opened.env):
                at = datetime.fromtimestamp(second, UTC)
                if at >= begin and file.is_relative_to(record.follow):
                    yield at, file, data.sessions


def capture_sessions(
    capture: CaptureService, kind: str, place: Path, *, close: bool = True, tick: Tick | None = None, only: str = ""
) -> tuple[list[Captured], list[str]]:
    """Captures the sessions of a file or folder, oldest first, except those captured before. Returns transcripts and
    reading problems. `close`: the sessions are over. A turn copied from another session stays in the first (D58)."""
    problems: list[str] = []
    told: list[Captured] = []

    def report(stage: str, done: int, total: int | None) -> None:
        if tick is not None:
            tick(Progress(stage, done, total))

    with SourceFolder(place) as folder, HeldSessions() as held:
        reading = PlaceContent(report, import_kind(kind), held)
        reading.read(folder)
        problems += reading.problems
        keys = {closed_session.session: frozenset(closed_session.keys) for closed_session in capture.closed()}
        for count, session in enumerate(held.oldest_first(), 1):
            report("transcripts", count, len(held))
            events = _own(session, keys) if only in ("", session.session) else []
            if not events:
                continue
            for captured in capture.record(map(encoded, _lines(session, events, kind, close))):
                if isinstance(captured, Captured):
                    told.append(captured)
                else:
                    problems.append(f"{session.source}: {captured.what}")
    return told, problems


def _own(session: ImportedSession, keys: dict[str, frozenset[str]]) -> list[TurnEvent]:
    """The events of a session without those copied from another."""
    others = frozenset[str]().union(*(found for name, found in keys.items() if name != session.session))
    return [event for event in session.events if not event.id or event_key(event) not in others]


def _lines(session: ImportedSession, events: list[TurnEvent], kind: str, close: bool) -> Iterable[CaptureEvent]:
    yield SessionStart(
        session_id=session.session, started=events[0].time, model=session.model, channel=kind, topic=session.topic
    )
    yield from events
    if close:
        yield SessionEnd(ended=events[-1].time, tokens_in=session.tokens_in, tokens_out=session.tokens_out)
