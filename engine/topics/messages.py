"""Defines what comes in: messages of a session, and events of other programs and the clock (autopoiesis §4.4)."""

from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum

import msgspec

from engine.text.transcript_marks import Speaker, is_trusted

UNDATED = datetime.min.replace(tzinfo=UTC)
"""Stands for the instant of a turn that nobody dated; it comes before all others."""


class Direction(StrEnum):
    """The direction of a message: in from the user, or out from the agent."""

    INPUT = "input"
    OUTPUT = "output"


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """A tool that the agent called, with the paths among its arguments. `target` and `outcome` are what a transcript
    says of it: `gh issue list`, and `12 results`."""

    name: str
    paths: tuple[str, ...] = ()
    target: str = ""
    outcome: str = ""

    @property
    def on_files(self) -> bool:
        """Tells whether a call names a file that is neither a note, which any agent keeps, nor a page."""
        return "://" not in self.target and any(not path.endswith((".md", ".txt")) for path in self.paths)


class SessionTurn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message of a session: who said what, where it stands, and when. `line` counts from 1 in the file `source`,
    `number` from 1 in the session; 0 where nobody counted. `mark` says where the words are not known to be the owner's
    (decision D57)."""

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
        """The instant at which it was said; `UNDATED` where nobody knows."""
        return self.said_at or UNDATED

    @property
    def trusted(self) -> bool:
        """Tells whether these are known to be the owner's words (decision D57)."""
        return is_trusted(self.mark)

    @property
    def on_files(self) -> bool:
        """Tells whether a tool that was called in it names a file that is no note."""
        return any(call.on_files for call in self.tool_calls)

    def day(self, zone: tzinfo) -> date:
        """The day on which it was said, in a zone."""
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
    """Something another program reports. `text` is data for the gate and the scores."""

    id: str
    source: str
    event: str = ""
    text: str = ""


class CronEvent(msgspec.Struct, frozen=True, kw_only=True, tag="cron"):
    """Time has passed: schedules that fell due after `since` and not after `until` (aware instants)."""

    id: str
    since: datetime
    until: datetime


Event = WebhookEvent | CronEvent
