"""Follows a session's window: reads new lines of its file, knows the tokens usable before its tool compacts (B25), and
chooses the session that a gauge shows."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache

import msgspec

from engine.sessions.line_buffer import RawLine
from engine.sessions.tail import FileChange, Tail
from engine.sessions.window.token_timeline import (
    TimelineReader,
    WindowBand,
    WindowForecast,
    WindowTimeline,
    WindowTurn,
    limit_of,
)
from engine.sessions.written_files import NoteTouch, note_touches
from engine.text.pattern_file import converted, toml_file
from engine.text.tokens import TokenCounter
from engine.text.transcript_marks import TURN, TranscriptHead, instant
from engine.workspace.paths import WorkspaceRoot

RUNNING = timedelta(hours=1)  # a session whose file changed within this time may be compacted any moment


class SessionWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One followed session. `source`: its name in `sessions.files`; `limit`: usable tokens of its window (B25)."""

    source: str
    modified: datetime
    limit: int
    timeline: WindowTimeline

    @property
    def session(self) -> str:
        """The session's name, from its file."""
        return self.source.rpartition("/")[2].removesuffix(".jsonl").removesuffix(".md")

    @property
    def tokens(self) -> int:
        return self.timeline.tokens

    @property
    def band(self) -> WindowBand:
        return self.timeline.band(self.limit)

    @property
    def forecast(self) -> WindowForecast | None:
        return self.timeline.forecast(self.limit)


def foremost(windows: Sequence[SessionWindow], now: datetime) -> SessionWindow | None:
    """Returns the session for the gauge: the fullest running one, else the last changed one."""
    known = [window for window in windows if window.band is not WindowBand.UNKNOWN]
    if running := [window for window in known if now - window.modified <= RUNNING]:
        return max(running, key=lambda window: (window.tokens / window.limit, window.modified))
    return max(known, key=lambda window: window.modified, default=None)


class ToolReserve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tokens below a window's size at which a tool compacts, and the version that was checked."""

    version: str
    date: str
    source: str
    reserve: int
    windows: dict[str, int] = {}


class _Reserves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    widths: tuple[int, ...]
    tools: dict[str, ToolReserve]


@cache
def _reserves() -> _Reserves:
    return converted(toml_file(__package__, "usable.toml"), _Reserves, "engine/sessions/window/usable.toml")


def usable_window(timeline: WindowTimeline, windows: Mapping[str, int], default: int, learnt: int = 0) -> int:
    """Returns the usable tokens of a session's window. `windows`, `default`: the operator's whole windows. `learnt`:
    where the tool last compacted with this model; ignored if the session has more."""
    if timeline.tokens <= learnt:
        return learnt
    tool = _reserves().tools.get(timeline.tool)
    whole = limit_of(timeline.model, windows, limit_of(timeline.model, tool.windows if tool else {}, default))
    most = max((turn.tokens for turn in timeline.turns), default=0)
    if most > whole:
        whole = next((width for width in _reserves().widths if width >= most), most)
    return max(1, whole - (tool.reserve if tool and whole > 2 * tool.reserve else 0))


class TranscriptEstimate:
    """Counts the tokens of our transcripts, whose usage is unknown (autopoiesis §2.1). A point per agent's turn."""

    def __init__(self, counter: TokenCounter) -> None:
        self.ended = False  # the transcript was closed: no session fills its window any more
        self._counter = counter
        self._turns: list[WindowTurn] = []
        self._touches: list[NoteTouch] = []
        self._tokens = 0
        self._head = TranscriptHead("model|started|ended")
        self._model = ""
        self._started: datetime | None = None

    def read(self, line: RawLine) -> None:
        text = line.data.decode("utf-8", "replace")
        if self._head.takes(text, self._keep):
            return
        self._tokens += self._counter.count(text + "\n")
        self._touches += note_touches(line)
        turn = TURN.match(text)
        if turn is not None and turn[3] == "agent":
            self._turns.append(WindowTurn(len(self._turns) + 1, line.number, self._tokens, self._started))
        elif self._turns:
            last = self._turns[-1]
            self._turns[-1] = WindowTurn(last.number, last.line, self._tokens, last.at)

    def timeline(self) -> WindowTimeline:
        turns, touches = tuple(self._turns), tuple(self._touches)
        return WindowTimeline(model=self._model, turns=turns, touches=touches, estimated=True)

    def _keep(self, key: str, value: str) -> None:
        if key == "model":
            self._model = value[:200]
        elif key == "started":
            self._started = instant(value)
        else:
            self.ended = value not in ("null", "~")


class WindowFile:
    """Reads a growing file to its end at each look; a truncated or rewritten one from its start."""

    def __init__(self, root: WorkspaceRoot, path: str, counter: TokenCounter) -> None:
        self._tail = Tail(root, path)
        self._counter = counter
        self._reader = self._new_reader()
        self._timeline = WindowTimeline()

    @property
    def ended(self) -> bool:
        """True if the file says that its session is over."""
        return isinstance(self._reader, TranscriptEstimate) and self._reader.ended

    def look(self, now: datetime) -> WindowTimeline:
        """Reads new lines; returns the timeline."""
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
        """Begins again if the file was replaced."""
        anew = set(self._tail.changes) - {FileChange.SHORTENED}
        self._tail.changes.clear()
        if not anew:
            return False
        self._reader = self._new_reader()
        return True

    def _new_reader(self) -> TimelineReader | TranscriptEstimate:
        return TranscriptEstimate(self._counter) if self._tail.path.endswith(".md") else TimelineReader()
