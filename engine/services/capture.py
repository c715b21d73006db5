"""Captures events of sessions as transcripts, for the front ends (autopoiesis §8.2)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused, UsageError
from engine.history.repository import Repository
from engine.lifecycle.capture.event_journal import EventJournal, journals
from engine.lifecycle.capture.events import CaptureEvent, SessionEnd, SessionStart, read_event
from engine.lifecycle.capture.recorder import Captured, CaptureStore, SessionRecorder
from engine.lifecycle.capture.records import ClosedTranscript, TranscriptRecords, commit_transcripts
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.sessions.line_buffer import LONGEST_LINE
from engine.workspace.values import Finding, notice

TOO_LONG = b"\0too long"  # stands in the place of a line that is too long to be held
_UNKNOWN = "1970-01-01T00:00:00Z"  # in the place of a start that the journal has


class CaptureProblem(msgspec.Struct, frozen=True):
    """A line that was not captured, by its number from 1, and the reason."""

    line: int
    what: str


class OpenSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session with an open transcript. `held`: a process is capturing it now."""

    session: str
    started: str
    events: int
    held: bool


class CaptureService:
    """Writes transcripts and nothing else in the workspace. It needs no approval, because it only adds."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def record(self, lines: Iterable[bytes]) -> Iterator[Captured | CaptureProblem]:
        """Captures the events in these lines; yields the state of each session that ended or was left open."""
        self._refuse_read_only()
        recorder: SessionRecorder | None = None
        try:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                if line == TOO_LONG:
                    yield CaptureProblem(number, f"longer than an event may be, {LONGEST_LINE >> 20} MiB")
                    continue
                try:
                    event = read_event(line)
                except UsageError as error:
                    yield CaptureProblem(number, error.line())
                    continue
                with disk_errors("capturing failed"):
                    recorder, told = self._taken(recorder, event)
                if told is not None:
                    yield told
                elif recorder is None:
                    yield CaptureProblem(number, "an event before the start of a session")
        finally:
            if recorder is not None:
                recorder.let_go()
        if recorder is not None:
            yield recorder.state()

    def sessions(self) -> tuple[OpenSession, ...]:
        """Gives the sessions with open transcripts, sorted by file."""
        return tuple(filter(None, map(_open_session, journals(self._opened.state.path))))

    def closed(self) -> tuple[ClosedTranscript, ...]:
        """Gives the closed transcripts, the first closed first."""
        return TranscriptRecords(self._opened.database).all()

    def close(self, session: str) -> Captured:
        """Closes the transcript of a session without program, at its last event (D21); `Refused` while captured."""
        self._refuse_read_only()
        if session not in {one.session for one in self.sessions()}:
            raise UsageError("no such session is open", where=session, hint="memdeck capture --list")
        with disk_errors("closing failed"):
            recorder = SessionRecorder(self._store(), SessionStart(session_id=session, started=_UNKNOWN))
            # A crash may have come between its end and its close: then the end is known.
            end = recorder.ended or recorder.last_end()
            recorder.take(end)
            return self._closed(recorder, end)

    def recover(self) -> tuple[Finding, ...]:
        """Finishes what a crash interrupted: missing text, a close, owed commits."""
        with disk_errors("recovering transcripts failed"):
            found = [done for file in journals(self._opened.state.path) if (done := self._recovered(file))]
            owed = [notice("transcript_owed", "", what) for what in self._committed()]
        return (*(notice("transcript_recovered", path, what) for path, what in found), *owed)

    def findings(self) -> tuple[Finding, ...]:
        """Reports closed transcripts that changed, and those that are not committed yet."""
        records = TranscriptRecords(self._opened.database)
        owed = records.owed() if self._repository() is not None else ()
        return (
            *records.findings(self._opened.root),
            *(notice("transcript_owed", one.path, "it is not committed yet", "memdeck recover") for one in owed),
        )

    def _taken(
        self, recorder: SessionRecorder | None, event: CaptureEvent
    ) -> tuple[SessionRecorder | None, Captured | None]:
        """Gives the recorder after an event, and the state of a transcript that ended or was left."""
        match event:
            case SessionStart():
                left = None
                if recorder is not None:
                    recorder.let_go()
                    left = recorder.state()
                return self._started(event), left
            case SessionEnd() if recorder is not None:
                recorder.take(event)
                return None, self._closed(recorder, event)
            case _ if recorder is not None and not isinstance(event, SessionEnd):
                recorder.take(event)
        return recorder, None

    def _started(self, start: SessionStart) -> SessionRecorder:
        recorder = SessionRecorder(self._store(), start)
        if (end := recorder.ended) is not None:  # a crash came between its end and its close
            self._closed(recorder, end)
            recorder = SessionRecorder(self._store(), start)
        return recorder

    def _closed(self, recorder: SessionRecorder, end: SessionEnd) -> Captured:
        done = recorder.close(end)
        return msgspec.structs.replace(done, notices=(*done.notices, *self._committed()))

    def _recovered(self, file: Path) -> tuple[str, str] | None:
        """Recovers one journal; gives the transcript's path and what was done, None for nothing."""
        if (before := _open_session(file)) is None:
            if EventJournal.is_held(file):
                return None
            # A crash left it before it held anything.
            file.unlink(missing_ok=True)
            return file.name, "a journal without an event is gone"
        # A process is at it, and nothing of it is left over.
        if before.held:
            return None
        recorder = SessionRecorder(self._store(), SessionStart(session_id=before.session, started=_UNKNOWN))
        if (end := recorder.ended) is not None:
            return recorder.close(end).path, "its close is finished"
        recorder.let_go()
        return (recorder.state().path, "its text is whole again") if recorder.restored else None

    def _repository(self) -> Repository | None:
        if self._opened.root.transcripts is not None:  # no repository of the workspace holds what lies outside it (D32)
            return None
        return self._opened.git.usable() if self._opened.policy.git.commit else None

    def _committed(self) -> tuple[str, ...]:
        opened, repository = self._opened, self._repository()
        if repository is None:
            return ()
        git, records = opened.policy.git, TranscriptRecords(opened.database)
        return commit_transcripts(opened.root, repository, records, opened.git.scratch, git.filters, git.private)

    def _store(self) -> CaptureStore:
        opened = self._opened
        records = TranscriptRecords(opened.database)
        return CaptureStore(opened.root, opened.state.path, records, opened.real_clock, opened.policy.zone)

    def _refuse_read_only(self) -> None:
        if self._opened.database.read_only:
            raise Refused("nothing is captured: this is --read-only", hint="leave --read-only out")


def _open_session(file: Path) -> OpenSession | None:
    """Reads the journal of an open session; None where it is gone."""
    try:
        events = tuple(read_event(line) for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n"))
    except (OSError, MemdeckError):
        return OpenSession(session=file.stem, started="", events=0, held=False)
    first = events[0] if events else None
    if not isinstance(first, SessionStart):
        return None
    return OpenSession(
        session=first.session_id, started=first.started, events=len(events) - 1, held=EventJournal.is_held(file)
    )
