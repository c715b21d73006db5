"""Captures one session: each event goes to the journal, then its text to the transcript (autopoiesis §8.2, D21)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.lifecycle.capture.event_journal import FOLDER as JOURNALS
from engine.lifecycle.capture.event_journal import EventJournal
from engine.lifecycle.capture.events import (
    REASONING,
    CaptureEvent,
    SessionEnd,
    SessionStart,
    SpokenTurn,
    TurnEvent,
    event_key,
    instant_of,
)
from engine.lifecycle.capture.records import ClosedTranscript, TranscriptRecords
from engine.lifecycle.capture.transcript_file import TranscriptFile
from engine.lifecycle.capture.transcript_text import TranscriptText, closed_path, open_path
from engine.sessions.who_spoke import who_spoke
from engine.state.private_files import write_private
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot


class OpenTranscript:
    """A session's transcript so far and its file; both always match the journal's events, whose keys are `keys`."""

    def __init__(self, root: WorkspaceRoot, events: Sequence[CaptureEvent]) -> None:
        start, *rest = events
        if not isinstance(start, SessionStart):
            raise Damaged("the journal begins without a start", hint="move it away")
        self.path = open_path(start)
        self.keys = [event_key(event) for event in rest]
        self._text = TranscriptText(start)
        self._file = TranscriptFile(root, self.path)
        self._body = [self._added(event) for event in rest if not isinstance(event, SessionStart | SessionEnd)]

    @property
    def turns(self) -> int:
        return self._text.turns

    @property
    def content(self) -> bytes:
        """The bytes that the open file should have."""
        return (self._text.opening + "".join(self._body)).encode()

    def restore(self) -> bytes | None:
        """Repairs the file; gives its bytes before, None where they were right."""
        return self._file.bring_to(self.content)

    def add(self, event: TurnEvent) -> None:
        """Adds the text of an event that is in the journal."""
        text = self._added(event)
        self._body.append(text)
        self.keys.append(event_key(event))
        self._file.append(text.encode())

    def _added(self, event: TurnEvent) -> str:
        """Gives the text of an event; empty where all of it is a tool's own text (decision D57)."""
        if isinstance(event, SpokenTurn):
            said = who_spoke(event.role, event.content, self._text.start.channel)
            if said.left_out and not said.text.strip():
                return ""
            if said.left_out or said.mark:
                event = msgspec.structs.replace(event, content=said.text, type=event.type or said.mark)
        return self._text.add(event)

    def close(self, end: SessionEnd) -> tuple[str, bytes]:
        """Replaces the open transcript by the final one; gives its path and its bytes."""
        final = (self._text.closing(end) + "".join(self._body)).encode()
        return self._file.close_as(closed_path(self._text.start, self._text.title), final), final


@dataclass(frozen=True)
class CaptureStore:
    """The transcripts' folder, and the operator's state. `zone` is that of new transcripts."""

    root: WorkspaceRoot
    state: Path
    records: TranscriptRecords
    clock: Callable[[], datetime]
    zone: str = "UTC"


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """A session's transcript, open or closed. `notices` tell what went wrong."""

    session: str
    path: str
    sha256: str
    turns: int
    open: bool = False
    notices: tuple[str, ...] = ()


class SessionRecorder:
    """Records the events of one session; ignores an event that was recorded before, by any process."""

    def __init__(self, store: CaptureStore, start: SessionStart) -> None:
        """Opens the session's journal; `Refused` where another process captures this session."""
        self._store, self._start = store, start
        self._journal = EventJournal.of(store.state, start.session_id)
        self._notices: list[str] = []
        self.restored = False  # true where the open file was not what was captured, and is now
        self._sent: Counter[str] = Counter()
        try:
            events = self._journal.events
            earlier = store.records.of(start.session_id)
            self._known = Counter(key for one in earlier for key in one.keys) + Counter(map(event_key, events))
            self._transcript = self._opened(events) if events else None if earlier else self._begun(start)
        except BaseException:
            self._journal.close()
            raise

    @property
    def ended(self) -> SessionEnd | None:
        """The end that is in the journal already, after a crash before the transcript was final; None otherwise."""
        last = self._journal.events[-1] if self._journal.events else None
        return last if isinstance(last, SessionEnd) else None

    def last_end(self) -> SessionEnd:
        """Gives the end of a session whose program is gone: the instant of its last event."""
        events = self._journal.events
        return SessionEnd(ended=instant_of(events[-1] if events else self._start).isoformat())

    def take(self, event: TurnEvent | SessionEnd) -> bool:
        """Captures an event; False where it was captured before or is never written."""
        if isinstance(event, SpokenTurn) and event.type in REASONING:
            return False
        key = event_key(event)
        self._sent[key] += 1
        # Counted, not only known: a session may say the same words twice in the same second.
        if self._sent[key] <= self._known[key]:
            return False
        transcript = self._transcript = self._transcript or self._begun(self._continued(event))
        # Into the journal first: the text is made again from it, never the other way round.
        self._journal.append(event)
        if isinstance(event, SessionEnd):
            transcript.keys.append(key)
        else:
            transcript.add(event)
        return True

    def let_go(self) -> None:
        """Releases the session for other processes; releasing twice is fine."""
        if self._transcript is None and not self._journal.closed:
            self._journal.remove()  # it holds nothing: every event was captured before
        self._journal.close()

    def state(self) -> Captured:
        if (transcript := self._transcript) is None:
            return self._captured_before()
        return self._captured(transcript.path, sha256_hex(transcript.content), transcript.turns, is_open=True)

    def close(self, end: SessionEnd) -> Captured:
        """Finishes the transcript with its head, name and hash, then removes the journal."""
        try:
            if (transcript := self._transcript) is None:
                self._journal.remove()
                return self._captured_before()
            self._restore(transcript)
            path, final = transcript.close(end)
            closed = ClosedTranscript(
                session=self._start.session_id,
                path=path,
                sha256=sha256_hex(final),
                turns=transcript.turns,
                closed_at=self._store.clock(),
                keys=tuple(transcript.keys),
            )
            # Recorded before the journal goes: a crash between them closes it once more, with the same outcome.
            self._store.records.keep(closed)
            self._journal.remove()
            return self._captured(path, closed.sha256, closed.turns)
        finally:
            self._journal.close()

    def _begun(self, start: SessionStart) -> OpenTranscript:
        start = msgspec.structs.replace(start, zone=self._store.zone)
        self._journal.append(start)
        return self._opened((start,))

    def _opened(self, events: Sequence[CaptureEvent]) -> OpenTranscript:
        transcript = OpenTranscript(self._store.root, events)
        if self.ended is None:
            self._restore(transcript)
        return transcript

    def _continued(self, event: TurnEvent | SessionEnd) -> SessionStart:
        """Gives the first event of a new transcript, for a session that continues after its transcript was closed."""
        at, earlier = instant_of(event).isoformat(), self._store.records.of(self._start.session_id)
        return msgspec.structs.replace(self._start, started=at, continues=earlier[-1].path)

    def _restore(self, transcript: OpenTranscript) -> None:
        """Repairs the open file; keeps in the state what another program made of it."""
        before = transcript.restore()
        self.restored = self.restored or before is not None
        # A beginning of it is what a crash left, and no change by anybody.
        if before is not None and not transcript.content.startswith(before):
            kept = self._store.state / JOURNALS / f"changed-{sha256_hex(before)[:16]}.md"
            write_private(kept, before)
            self._notices.append(f"another program changed {transcript.path}; what it had made of it is in {kept}")

    def _captured_before(self) -> Captured:
        last = self._store.records.of(self._start.session_id)[-1]
        return self._captured(last.path, last.sha256, last.turns)

    def _captured(self, path: str, sha256: str, turns: int, *, is_open: bool = False) -> Captured:
        session, notices = self._start.session_id, tuple(self._notices)
        return Captured(session=session, path=path, sha256=sha256, turns=turns, open=is_open, notices=notices)
