"""Defines the input: messages of a session, events of other programs and the clock (autopoiesis §4.4)."""

from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum

import msgspec

from engine.text.transcript_marks import Speaker, is_trusted

UNDATED = datetime.min.replace(tzinfo=UTC)
"""The instant of an undated turn; it comes before all others."""


class Direction(StrEnum):
    """The direction of a message: in from the user, or out from the agent."""

    INPUT = "input"
    OUTPUT = "output"


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """A tool call of the agent, with its paths. `target`, `outcome`: as in transcripts: `gh pr list`, `12 results`."""

    name: str
    paths: tuple[str, ...] = ()
    target: str = ""
    outcome: str = ""

    @property
    def on_files(self) -> bool:
        """True if the call names a file that is no note, which any agent has, and no web page."""
        return "://" not in self.target and any(not path.endswith((".md", ".txt")) for path in self.paths)


class SessionTurn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message of a session: speaker, text, place and time. `line` counts from 1 in `source`, `number` from 1 in the
    session, 0 if not counted. `mark`: the words may not be the owner's (decision D57)."""

    source: str
    session: str = ""
    role: str
    text: str
    line: int = 0
    number: int = 0
    said_at: datetime | None = None
    mark: str = ""
    tool_calls: tuple[ToolCall, ...] = ()

    @property
    def speaker(self) -> Speaker:
        return Speaker(self.role)

    @property
    def time(self) -> datetime:
        """The instant when it was said; `UNDATED` if unknown."""
        return self.said_at or UNDATED

    @property
    def trusted(self) -> bool:
        """True if these are certainly the owner's words (decision D57)."""
        return is_trusted(self.mark)

    @property
    def on_files(self) -> bool:
        """True if one of its tool calls names a file that is no note."""
        return any(call.on_files for call in self.tool_calls)

    def day(self, zone: tzinfo) -> date:
        """Returns the day on which it was said, in a zone."""
        return self.time.astimezone(zone).date()


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message of a session. Everything in it is untrusted."""

    id: str
    text: str
    direction: Direction = Direction.INPUT
    time: datetime | None = None
    session: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    injected: bool = False  # put there by a topic or a hook: shown, and never a trigger (decision D20)
    mood: float = 0.0  # the session's mood before this message, from -1 to 1: what a sentiment trigger compares with


class WebhookEvent(msgspec.Struct, frozen=True, kw_only=True, tag="webhook"):
    """An event that another program reports. `text`: data for gate and scores."""

    id: str
    source: str
    event: str = ""
    text: str = ""


class CronEvent(msgspec.Struct, frozen=True, kw_only=True, tag="cron"):
    """The passing of time: schedules due after `since` and at or before `until`."""

    id: str
    since: datetime
    until: datetime


Event = WebhookEvent | CronEvent
