"""Defines a session's message and its place, and the reasons why a line is skipped."""

import re
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from engine.sessions.who_spoke import who_spoke
from engine.text.transcript_marks import Speaker, text_blocks, texts
from engine.topics.messages import Direction, Message, SessionTurn, ToolCall

LONGEST_TEXT = 64 * 1024
"""Most characters of a message that are read; further ones are counted, never hidden silently."""
MOST_TOOLS = 64  # tool calls of one message that are looked at


class SessionMessage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message of a session, with a lasting id. `source`, `line` (from 1, 0 if not counted): its place. `left_out`:
    characters beyond `LONGEST_TEXT`. `mark`: its turn's, if others may have spoken (D57)."""

    message: Message
    role: Speaker
    source: str
    line: int = 0
    left_out: int = 0
    mark: str = ""
    entry: str = ""  # the id of its line, where that has one

    def turn(self, source: str, number: int = 0) -> SessionTurn:
        """Returns the message as a turn of a session."""
        return SessionTurn(
            source=source,
            session=self.message.session,
            role=self.role.value,
            text=self.message.text,
            line=self.line,
            number=number,
            said_at=self.message.time,
            mark=self.mark,
            tool_calls=self.message.tool_calls,
        )


class LineProblem(StrEnum):
    """The reason why a line was skipped; each is counted."""

    NOT_JSON = "not JSON"
    NOT_AN_OBJECT = "not a JSON object"
    NO_MESSAGE = "a message that cannot be read"
    TOO_LONG = "longer than a line may be"


class SessionLine(NamedTuple):
    """The message of a line, before its place is known."""

    role: Speaker
    text: str
    at: datetime | None = None
    tools: tuple[ToolCall, ...] = ()
    injected: bool = False
    mark: str = ""


def heard(
    said: SessionLine, *, session: str, source: str, place: str, line: int, longest: int, entry: str = ""
) -> SessionMessage:
    """Makes a message. `place` distinguishes equal messages: the id in the file, or the offset."""
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
    """Returns sixteen hexadecimal digits that identify these parts."""
    made = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()


MOST_PATHS = 32  # paths of one tool call that are looked at
_LONGEST_PATH = 1024  # characters of a path that topics are matched against
_PATH_KEYS = ("path", "file", "notebook", "target", "cwd", "dir")
_PATHLIKE = re.compile(
    r"(?:^|(?<=[\s\"'=(:]))(?:[\w.@~+-]*/)+[\w.@+*-]+"
    r"|(?:^|(?<=[\s\"'=(]))[\w+-]+\.[A-Za-z]\w{0,7}(?=$|[\s\"',;:)])"
)


def spoken(
    role: Speaker, content: object, platform: str, at: datetime | None, tools: tuple[ToolCall, ...] = ()
) -> SessionLine:
    """Returns the speaker's own words in a message by its tool's rules; else its whole text as injected."""
    said = who_spoke(role, text_blocks(content), platform)
    if said.text.strip() or not said.left_out:
        return SessionLine(role, said.text, at, tools, mark=said.mark)
    return SessionLine(role, texts(content), at, tools, injected=True)


def tools(content: object, kind: str, arguments: str) -> tuple[ToolCall, ...]:
    """Returns the tool calls in a message. `kind`: type of their blocks; `arguments`: key of their arguments."""
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == kind and isinstance(block.get("name"), str):
            found.append(ToolCall(block["name"][:200], paths_in(block.get(arguments))))
            if len(found) == MOST_TOOLS:
                break
    return tuple(found)


def paths_in(arguments: object) -> tuple[str, ...]:
    """Returns the paths in a tool's arguments: values of path keys, and path-like words of a command."""
    found: dict[str, None] = {}
    for key, value in _values(arguments, "", 0):
        if any(part in key for part in _PATH_KEYS):
            found[value[:_LONGEST_PATH]] = None
        elif key in ("command", "cmd", "pattern", "glob", "args"):
            found.update(dict.fromkeys(pathlike(value)))
        if len(found) >= MOST_PATHS:
            break
    return tuple(found)[:MOST_PATHS]


def pathlike(text: str) -> list[str]:
    """Returns the words of a line that look like paths: `src/main.py`, `notes.md`."""
    return [match[0][:_LONGEST_PATH] for match in _PATHLIKE.finditer(text[:4096])][:MOST_PATHS]


def _values(value: object, key: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif depth < 4 and isinstance(value, dict):
        for name, inner in list(value.items())[:64]:
            yield from _values(inner, str(name).casefold(), depth + 1)
    elif depth < 4 and isinstance(value, list):
        for inner in value[:64]:
            yield from _values(inner, key, depth + 1)
