"""Defines what comes in: messages of a session, and events of other programs and the clock (autopoiesis §4.4)."""

from datetime import datetime
from enum import StrEnum

import msgspec


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


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message of a session. Everything in it is untrusted."""

    id: str
    text: str
    direction: Direction = Direction.INPUT
    time: datetime | None = None
    session: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    injected: bool = False
    """Put there by a topic or a hook: shown, and never a trigger (decision D20)."""
    mood: float = 0.0
    """The session's mood before this message, from -1 to 1: what a sentiment trigger compares with."""


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
