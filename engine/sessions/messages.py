"""Defines the content of a session file: a message, its place, and the reason why a line gives none."""

from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from engine.text.transcript_marks import Speaker
from engine.topics.messages import Direction, Message, ToolCall

LONGEST_TEXT = 64 * 1024
"""Characters of one message that are looked at; what is beyond is counted, never hidden silently."""
MOST_TOOLS = 64  # tool calls of one message that are looked at


class SessionMessage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message of a session. `source` and `line` (from 1; 0 where it is not counted) say where it stands. The
    message's id is the same whenever it is read again. `left_out` counts characters beyond `LONGEST_TEXT`. `mark` is
    that of its turn: it says where the words are not known to be the owner's (decision D57)."""

    message: Message
    role: Speaker
    source: str
    line: int = 0
    left_out: int = 0
    mark: str = ""
    entry: str = ""  # the id of its line, where that has one


class LineProblem(StrEnum):
    """The reason why a line was skipped. Each is counted."""

    NOT_JSON = "not JSON"
    NOT_AN_OBJECT = "not a JSON object"
    NO_MESSAGE = "a message that cannot be read"
    TOO_LONG = "longer than a line may be"


class SessionLine(NamedTuple):
    """The message of one line, before its place is known."""

    role: Speaker
    text: str
    at: datetime | None = None
    tools: tuple[ToolCall, ...] = ()
    injected: bool = False
    mark: str = ""


def heard(
    said: SessionLine, *, session: str, source: str, place: str, line: int, longest: int, entry: str = ""
) -> SessionMessage:
    """A message as it was read. `place` tells it from others that say the same: its id in the file, or its offset."""
    looked_at = said.text[:longest]
    message = Message(
        id=message_key(place, said.role, said.text),
        text=looked_at,
        direction=Direction.OUTPUT if said.role is Speaker.AGENT else Direction.INPUT,
        time=said.at,
        session=session,
        tool_calls=said.tools[:MOST_TOOLS],
        injected=said.injected or said.role is Speaker.SYSTEM,
    )
    left_out = len(said.text) - len(looked_at)
    return SessionMessage(
        message=message, role=said.role, source=source, line=line, left_out=left_out, mark=said.mark, entry=entry
    )


def message_key(*parts: str) -> str:
    """Sixteen hexadecimal digits that stand for these parts, whatever they hold."""
    made = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()
