"""The window of one session over its turns, as it is read line by line (decision B23)."""

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
    """The band that a share of the window falls in; `unknown` where nothing says how much is in use."""

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
"""Thousandths of the window from which on (`>=`) a band holds: 160,000, 180,000 and 195,000 of 200,000."""


def band_of(tokens: int, limit: int) -> WindowBand:
    """The band of so many tokens in a window of `limit`; whole numbers, so that no rounding moves an edge."""
    passed = [band for band, share in PER_MILLE if tokens * 1000 >= limit * share]
    return passed[-1] if passed else WindowBand.OK


def edge(band: WindowBand, limit: int) -> int:
    """The fewest tokens that are in a band of a window of `limit`."""
    return next(-(-limit * share // 1000) for found, share in PER_MILLE if found is band)


def limit_of(model: str, by_model: Mapping[str, int], default: int) -> int:
    """The window of a model: that of its name, else of the longest pattern with `*` that fits, else the default."""
    if model in by_model:
        return by_model[model]
    fitting = [pattern for pattern in by_model if "*" in pattern and fnmatchcase(model, pattern.replace("[", "[[]"))]
    return by_model[max(fitting, key=len)] if fitting and model else default


RECENT = 10  # turns whose growth is taken for that of the next


class WindowTurn(msgspec.Struct, frozen=True, gc=False):
    """An answer of the agent: its number from 1, where it stands, and the tokens that were in context."""

    number: int
    line: int
    tokens: int
    at: datetime | None = None


class Compaction(msgspec.Struct, frozen=True, gc=False):
    """A compaction: the line that tells it, and what left. `after` is 0 until the next answer says. The turns
    `first_turn` to `last_turn` and the lines `first_line` to `last_line` are those that left."""

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
        """Counts the turns that left."""
        return max(0, self.last_turn - self.first_turn + 1)

    @property
    def left(self) -> int:
        """Tokens that left, as far as it is known."""
        return max(0, self.before - self.after) if self.after else 0


class WindowForecast(msgspec.Struct, frozen=True, gc=False):
    """The next band, the tokens it begins at, and in how many turns at the present growth (tokens per turn)."""

    band: WindowBand
    tokens: int
    turns: int
    growth: int


class WindowTimeline(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one session's window. `tokens` is 0 before the first answer, and after a compaction of which
    the platform does not say how much is left."""

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
        """The tokens at which the tool compacted by itself the last time; 0 where it never did."""
        return next((one.before for one in reversed(self.compactions) if one.trigger != "manual" and one.before), 0)

    def band(self, limit: int) -> WindowBand:
        """The band in a window of `limit`; unknown until an answer tells."""
        return band_of(self.tokens, limit) if self.tokens else WindowBand.UNKNOWN

    def forecast(self, limit: int) -> WindowForecast | None:
        """The turns until the next band, at the mean growth of the last ones; None where it does not grow."""
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
    """Folds the lines of Claude Code's and OpenClaw's files into a timeline."""

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
        """Takes an answer once; what a later line of it tells replaces what the first one told."""
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
        """Takes a compaction; the summary below its boundary tells the same one again."""
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
