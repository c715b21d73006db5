"""One session file whose window is followed: what is new is read, nothing twice."""

from datetime import datetime

from engine.sessions.tail import FileChange, Tail
from engine.sessions.window.timeline import TimelineReader, WindowTimeline
from engine.sessions.window.transcript_estimate import TranscriptEstimate
from engine.text.tokens import TokenCounter
from engine.workspace.paths import WorkspaceRoot


class WindowFile:
    """Reads a growing file to its end at each look; one that was cut or written anew is read from its start."""

    def __init__(self, root: WorkspaceRoot, path: str, counter: TokenCounter) -> None:
        self._tail = Tail(root, path)
        self._counter = counter
        self._reader = self._new_reader()
        self._timeline = WindowTimeline()

    @property
    def ended(self) -> bool:
        """Tells whether the file says that its session is over."""
        return isinstance(self._reader, TranscriptEstimate) and self._reader.ended

    def look(self, now: datetime) -> WindowTimeline:
        """Reads what is new; gives the timeline until now."""
        if self._tail.is_open and self._tail.replaced():
            self._tail.turn_over()
        self._tail.look(now)
        moved = self._anew()
        pending = -1
        while self._tail.pending not in (0, pending):  # cut meanwhile: the next look sees it
            pending = self._tail.pending
            for line in self._tail.read():
                moved = True
                self._reader.read(line)
        if moved:
            self._timeline = self._reader.timeline()
        return self._timeline

    def close(self) -> None:
        self._tail.close()

    def _anew(self) -> bool:
        """Begins again where the file is another than the one that was read."""
        anew = set(self._tail.changes) - {FileChange.SHORTENED}
        self._tail.changes.clear()
        if not anew:
            return False
        self._reader = self._new_reader()
        return True

    def _new_reader(self) -> TimelineReader | TranscriptEstimate:
        return TranscriptEstimate(self._counter) if self._tail.path.endswith(".md") else TimelineReader()
