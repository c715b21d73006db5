"""The events of a session as `memdeck capture` reads them, one JSON object per line (decision D42)."""

from datetime import datetime
from hashlib import blake2b
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from engine.errors import UsageError
from engine.text.transcript_marks import Speaker, instant

REASONING = frozenset({"reasoning", "thinking"})
"""The types of messages that are never written: their results are in knowledge files (autopoiesis §2.1)."""
Count = Annotated[int, Meta(ge=0)]
Ident = Annotated[str, Meta(max_length=200)]


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """An event and its instant; `id`, if any, tells it apart from others."""

    time: str
    id: Ident = ""


class SessionStart(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="start"):
    """A session begins, or its events are sent again from the first."""

    session_id: Annotated[str, Meta(min_length=1, max_length=200)]
    started: str
    model: str = ""
    channel: str = ""
    topic: str = ""
    continues: str = ""  # the transcript of the same session that was closed before this one
    zone: str = ""  # the zone of its transcript, which the policy names and not the sender; UTC where it is empty


class SpokenTurn(_Event, frozen=True, kw_only=True, tag="message"):
    role: Speaker
    content: str
    type: str = ""


class ToolEvent(_Event, frozen=True, kw_only=True, tag="tool"):
    name: str
    args: Any = ""
    result: Any = ""


class KnowledgeChange(_Event, frozen=True, kw_only=True, tag="knowledge"):
    """The agent changed a knowledge file."""

    action: str
    path: str
    summary: str = ""


class Attachment(_Event, frozen=True, kw_only=True, tag="attachment"):
    """An attached file, which is named but not embedded."""

    path: str


class SessionEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    ended: str
    tokens_in: Count = 0
    tokens_out: Count = 0
    tags: tuple[str, ...] = ()


TurnEvent = SpokenTurn | ToolEvent | KnowledgeChange | Attachment
CaptureEvent = SessionStart | TurnEvent | SessionEnd
_DECODER: msgspec.json.Decoder[CaptureEvent] = msgspec.json.Decoder(CaptureEvent)


def read_event(line: bytes) -> CaptureEvent:
    """Decodes the event of one line; `UsageError` says what is wrong."""
    try:
        event = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not an event: {error}") from error
    instant_of(event)
    return event


def instant_of(event: CaptureEvent) -> datetime:
    """Gives an event's instant in UTC; `UsageError` where its time is invalid or has no offset."""
    match event:
        case SessionStart(started=text) | SessionEnd(ended=text):
            at = instant(text)
        case _:
            at = instant(event.time)
    if at is None:
        raise UsageError("its time is no instant with an offset", hint="like 2026-02-16T18:45:00Z")
    return at


def event_key(event: CaptureEvent) -> str:
    """Gives 16 hexadecimal digits that identify a repeated event: from its id, or from its whole content."""
    ident = "" if isinstance(event, SessionStart | SessionEnd) else event.id
    said = f"{type(event).__name__}\0{ident}".encode() if ident else msgspec.json.encode(event)
    return blake2b(said, digest_size=8).hexdigest()


def encoded(event: CaptureEvent) -> bytes:
    return msgspec.json.encode(event) + b"\n"
