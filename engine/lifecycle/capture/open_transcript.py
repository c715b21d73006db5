"""The transcript of a session that goes on: its text so far, and the file that holds it."""

from collections.abc import Sequence

from engine.errors import Damaged
from engine.lifecycle.capture.events import CaptureEvent, SessionEnd, SessionStart, TurnEvent, event_key
from engine.lifecycle.capture.transcript_file import TranscriptFile
from engine.lifecycle.capture.transcript_text import TranscriptText, closed_path, open_path
from engine.workspace.paths import WorkspaceRoot


class OpenTranscript:
    """Made of the events of a journal, which it is always equal to; `keys` are those of its events."""

    def __init__(self, root: WorkspaceRoot, events: Sequence[CaptureEvent]) -> None:
        start, *rest = events
        if not isinstance(start, SessionStart):
            raise Damaged("the journal begins without a start", hint="move it away")
        self.path = open_path(start)
        self.keys = [event_key(event) for event in rest]
        self._text = TranscriptText(start)
        self._file = TranscriptFile(root, self.path)
        self._body = [self._text.add(event) for event in rest if not isinstance(event, SessionStart | SessionEnd)]

    @property
    def turns(self) -> int:
        return self._text.turns

    @property
    def content(self) -> bytes:
        """The bytes that the open file should hold."""
        return (self._text.opening + "".join(self._body)).encode()

    def restore(self) -> bytes | None:
        """Makes the file hold what was captured; gives what it held before, None where that was it."""
        return self._file.bring_to(self.content)

    def add(self, event: TurnEvent) -> None:
        """Adds the text of an event that the journal has."""
        text = self._text.add(event)
        self._body.append(text)
        self.keys.append(event_key(event))
        self._file.append(text.encode())

    def close(self, end: SessionEnd) -> tuple[str, bytes]:
        """Puts the final transcript in the place of the open one; its path and its bytes."""
        final = (self._text.closing(end) + "".join(self._body)).encode()
        return self._file.close_as(closed_path(self._text.start, self._text.title), final), final
