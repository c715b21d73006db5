"""Builds the timeline of a session's window from its lines (decision B23)."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatchcase

import msgspec

from engine.sessions.line_buffer import RawLine
from engine.sessions.window.events import WindowAnswer, WindowCut, window_line
from engine.sessions.written_files import MOST_EDITS, NoteTouch, note_touches

DEFAULT_MODEL = ""  # the name of a model that nobody told


class WindowBand(StrEnum):
    """The band of a share of the window; `unknown` if the use is unknown."""

    OK = "ok"
    WARNING = "warning"
    COMPACT = "compact"
    EMERGENCY = "emergency"
    UNKNOWN = "unknown"


PER_MILLE: tuple[tuple[WindowBand, int], ...] = (
    (WindowBand.WARNING, 800),
    (WindowBand.COMPACT, 900),
    (WindowBand.EMERGENCY, 975),
)
"""Thousandths of the window at which (`>=`) a band begins: 160,000, 180,000 and 195,000 of 200,000."""


def band_of(tokens: int, limit: int) -> WindowBand:
    """Returns the band of `tokens` in a window of `limit`; integers, so that no rounding moves an edge."""
    passed = [band for band, share in PER_MILLE if tokens * 1000 >= limit * share]
    return passed[-1] if passed else WindowBand.OK


def edge(band: WindowBand, limit: int) -> int:
    """Returns the fewest tokens of a band in a window of `limit`."""
    return next(-(-limit * share // 1000) for found, share in PER_MILLE if found is band)


def limit_of(model: str, by_model: Mapping[str, int], default: int) -> int:
    """Returns the window of a model: by its name, else by the longest matching pattern with `*`, else the default."""
    if model in by_model:
        return by_model[model]
    fitting = [pattern for pattern in by_model if "*" in pattern and fnmatchcase(model, pattern.replace("[", "[[]"))]
    return by_model[max(fitting, key=len)] if fitting and model else default


RECENT = 10  # turns whose growth is taken for that of the next


class WindowTurn(msgspec.Struct, frozen=True, gc=False):
    """An answer of the agent: its number from 1, its line, and the tokens in context."""

    number: int
    line: int
    tokens: int
    at: datetime | None = None


class Compaction(msgspec.Struct, frozen=True, gc=False):
    """A compaction: its line, and the turns and lines that left the context. `after`: 0 until the next answer."""

    line: int
    trigger: str
    before: int
    after: int
    first_turn: int
    last_turn: int
    first_line: int
    last_line: int
    at: datetime | None = None

    @property
    def turns(self) -> int:
        """The number of turns that left."""
        return max(0, self.last_turn - self.first_turn + 1)

    @property
    def left(self) -> int:
        """The tokens that left; 0 if unknown."""
        return max(0, self.before - self.after) if self.after else 0


class WindowForecast(msgspec.Struct, frozen=True, gc=False):
    """The next band, its first token count, and the turns until it at the present growth (tokens a turn)."""

    band: WindowBand
    tokens: int
    turns: int
    growth: int


class WindowTimeline(msgspec.Struct, frozen=True, kw_only=True):
    """The history of a session's window. `tokens`: 0 before an answer, and after a compaction of unknown result."""

    model: str = ""
    turns: tuple[WindowTurn, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    since: int = 0  # the place among `turns` of the first one after the last compaction
    tool: str = ""
    touches: tuple[NoteTouch, ...] = ()  # notes that were given, read or written, in the order of their lines
    estimated: bool = False  # true where tokens are counted here, since no provider tells them

    @property
    def tokens(self) -> int:
        if len(self.turns) > self.since:
            return self.turns[-1].tokens
        return self.compactions[-1].after if self.compactions else 0

    @property
    def compacted_at(self) -> int:
        """The tokens at the tool's last own compaction; 0 if there was none."""
        return next((one.before for one in reversed(self.compactions) if one.trigger != "manual" and one.before), 0)

    def band(self, limit: int) -> WindowBand:
        """Returns the band in a window of `limit`; unknown before the first answer."""
        return band_of(self.tokens, limit) if self.tokens else WindowBand.UNKNOWN

    def forecast(self, limit: int) -> WindowForecast | None:
        """Forecasts the turns until the next band from recent growth; None without growth."""
        recent = self.turns[self.since :][-RECENT:]
        if len(recent) < 2:
            return None
        grown, steps = recent[-1].tokens - recent[0].tokens, len(recent) - 1
        ahead = [(band, edge(band, limit)) for band, _ in PER_MILLE if edge(band, limit) > self.tokens]
        if grown <= 0 or not ahead:
            return None
        band, at = ahead[0]
        return WindowForecast(band, at, -(-(at - self.tokens) * steps // grown), max(1, grown // steps))


class TimelineReader:
    """Builds a timeline from lines of Claude Code and OpenClaw."""

    def __init__(self) -> None:
        self._turns: list[WindowTurn] = []
        self._places: dict[str, int] = {}  # by the key of an answer its place among the turns
        self._lines: dict[str, int] = {}  # by the id of an entry the line that it stands on
        self._compactions: list[Compaction] = []
        self._touches: list[NoteTouch] = []
        self._since = 0
        self._began = 1  # the first line that is still in context
        self._model = self._tool = ""

    def read(self, line: RawLine) -> None:
        entry, event = window_line(line)
        if entry:
            self._lines[entry] = line.number
        if len(self._touches) < MOST_EDITS:
            self._touches += note_touches(line)
        if isinstance(event, WindowAnswer):
            self._answer(event, line)
        elif event is not None:
            self._cut(event, line)

    def timeline(self) -> WindowTimeline:
        return WindowTimeline(
            model=self._model,
            turns=tuple(self._turns),
            compactions=tuple(self._compactions),
            since=self._since,
            tool=self._tool,
            touches=tuple(self._touches),
        )

    def _answer(self, answer: WindowAnswer, line: RawLine) -> None:
        """Adds an answer once; a later line of it updates its tokens."""
        if (place := self._places.get(answer.key)) is None:
            self._places[answer.key] = len(self._turns)
            self._turns.append(WindowTurn(len(self._turns) + 1, line.number, answer.tokens, answer.at))
        elif place >= self._since:
            self._turns[place] = msgspec.structs.replace(self._turns[place], tokens=answer.tokens)
        else:  # told again from before the compaction
            return
        self._model, self._tool = answer.model or self._model, answer.tool
        if self._compactions and not self._compactions[-1].after:
            self._compactions[-1] = msgspec.structs.replace(self._compactions[-1], after=answer.tokens)

    def _cut(self, cut: WindowCut, line: RawLine) -> None:
        """Adds a compaction; ignores the summary line after it, which repeats it."""
        if self._compactions and len(self._turns) == self._since:
            return
        last = self._turns[-1] if self._turns else None
        kept = self._lines.get(cut.kept, 0)
        end = max(self._began, kept) - 1 if kept else line.number - 1
        leaving = [turn.number for turn in self._turns[self._since :] if turn.line <= end]
        self._compactions.append(
            Compaction(
                line=line.number,
                trigger=cut.trigger,
                before=cut.before or (last.tokens if last is not None else 0),
                after=cut.after,
                first_turn=leaving[0] if leaving else self._since + 1,
                last_turn=leaving[-1] if leaving else self._since,
                first_line=self._began,
                last_line=end,
                at=cut.at,
            )
        )
        self._since, self._began = len(self._turns), end + 1
