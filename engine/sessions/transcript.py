"""Reads a transcript under `raw/conversations/` turn by turn while it is written (autopoiesis §2.1)."""

import re
from collections import Counter
from datetime import UTC, datetime, time, timedelta

from engine.sessions.line_buffer import RawLine
from engine.sessions.messages import LONGEST_TEXT, LineProblem, SessionLine, SessionMessage, heard, pathlike
from engine.text.transcript_marks import DAY, MEMORY, TOOL, TURN, Speaker, TranscriptHead, as_written, unescaped
from engine.topics.messages import ToolCall

_NAME = re.compile(r"\d{4}-(?P<session>[^-/]+)(?:-.*)?\.md\Z")
LONGEST_TOOL = 1_000  # characters of the line of a tool that are looked at


class Transcript:
    """Reads turns: each ends where the next begins; the last after a pause, later text as another message."""

    abandoned = frozenset[str]()

    def __init__(self, source: str, longest: int = LONGEST_TEXT) -> None:
        self._longest = longest
        name = source.rpartition("/")[2]
        found = _NAME.fullmatch(name)
        self.session = found["session"] if found else name.removesuffix(".md")
        self.problems: Counter[LineProblem] = Counter()
        self._source = source
        self._head = TranscriptHead("session_id|started")
        self._at: datetime | None = None
        self._turn: tuple[Speaker, str] | None = None
        self._began = RawLine(0, b"", 0)
        self._rest = 0
        self._text: list[str] = []
        self._length = 0
        self._tools: list[ToolCall] = []

    @property
    def waits(self) -> bool:
        return bool(self._tools) or any(map(str.strip, self._text))

    def read(self, line: RawLine) -> list[SessionMessage]:
        text = line.data.decode("utf-8", "replace")
        if self._head.takes(text, self._keep):
            return []
        if (day := DAY.match(text) if text.startswith("<!--") else None) is not None:
            return self._new_day(day[1], day[2] or "")
        turn = TURN.match(text) if text.startswith("## ") else None
        if turn is None:
            self._take(text)
            return []
        done = self.pause()
        self._turn = (Speaker(turn[3]), turn[4] or "")
        self._began, self._rest = line, 0
        self._at = _clock(self._at, int(turn[1]), int(turn[2]))
        return done

    def pause(self) -> list[SessionMessage]:
        if self._turn is None or not self.waits:
            return []
        (role, mark), text = self._turn, "\n".join(self._text).strip()
        message = heard(
            SessionLine(role, text, _utc(self._at), tuple(self._tools), mark == MEMORY, mark),
            session=self.session,
            source=self._source,
            place=f"{self._source}@{self._began.offset}+{self._rest}",
            line=self._began.number,
            longest=self._longest,
        )
        self._text, self._tools, self._length = [], [], 0
        self._rest += 1
        return [message]

    def _new_day(self, day: str, offset: str) -> list[SessionMessage]:
        """Sets the date and offset of following turns, in a session past midnight (D42)."""
        done = self.pause()
        self._turn = None
        try:
            midnight = datetime.fromisoformat(f"{day}T00:00:00{offset}")
            zone = midnight.tzinfo or (self._at.tzinfo if self._at is not None else UTC)
            self._at = midnight.replace(tzinfo=zone)
        except ValueError:
            self.problems[LineProblem.NO_MESSAGE] += 1
        return done

    def _keep(self, key: str, value: str) -> None:
        if key == "session_id":
            self.session = value[:200]
        else:
            self._at = as_written(value) or self._at

    def _take(self, text: str) -> None:
        if self._turn is None:
            return
        tool = TOOL.match(text) if text.startswith("> [tool:") else None
        if tool is not None:
            target, _, outcome = tool[2][:LONGEST_TOOL].partition(" → ")
            self._tools.append(ToolCall(tool[1], tuple(pathlike(tool[2])), target, outcome))
        elif (
            self._length <= self._longest + 1
        ):  # one more than is looked at, so that it is seen that something is left out
            plain = unescaped(text)
            self._text.append(plain[: self._longest + 1])
            self._length += len(plain) + 1


def _utc(at: datetime | None) -> datetime | None:
    try:
        return at.astimezone(UTC) if at is not None else None
    except OverflowError:
        return None


def _clock(last: datetime | None, hour: int, minute: int) -> datetime | None:
    """Returns the instant of a turn, on the next day if the clock went back; None without a known day."""
    if last is None or hour > 23 or minute > 59:
        return last
    at = datetime.combine(last.date(), time(hour, minute), last.tzinfo or UTC)
    # Days after 1 and before 9999, that no sum leaves the years there are.
    return at + timedelta(days=1) if 1 < last.year < 9999 and at < last - timedelta(hours=1) else at
