"""The blocks that a message of a session file is made of, read without trust in any of them."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from engine.sessions.messages import MOST_TOOLS
from engine.text.transcript_marks import Speaker
from engine.topics.messages import ToolCall

MOST_PATHS = 32
"""Paths of one tool call that are looked at."""
_LONGEST_PATH = 1024
_PATH_KEYS = ("path", "file", "notebook", "target", "cwd", "dir")
_PATHLIKE = re.compile(
    r"(?:^|(?<=[\s\"'=(:]))(?:[\w.@~+-]*/)+[\w.@+*-]+"
    r"|(?:^|(?<=[\s\"'=(]))[\w+-]+\.[A-Za-z]\w{0,7}(?=$|[\s\"',;:)])"
)
_REMINDERS = ("system-reminder", "local-command-caveat", "local-command-stdout", "command-message")


class SessionLine(NamedTuple):
    """The message of one line, before its place is known."""

    role: Speaker
    text: str
    at: datetime | None = None
    tools: tuple[ToolCall, ...] = ()
    injected: bool = False


def texts(content: object) -> str:
    """The text of a message's content: a string, or blocks of which those of type `text` count."""
    if isinstance(content, str):
        return content
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            found.append(block["text"])
    return "\n".join(found)


def tools(content: object, kind: str, arguments: str) -> tuple[ToolCall, ...]:
    """The tool calls among a message's blocks; `kind` is the blocks' type, `arguments` the key of what they pass on."""
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == kind and isinstance(block.get("name"), str):
            found.append(ToolCall(block["name"][:200], paths_in(block.get(arguments))))
            if len(found) == MOST_TOOLS:
                break
    return tuple(found)


def paths_in(arguments: object) -> tuple[str, ...]:
    """The paths among a tool's arguments: values whose key says so, and words of a command that look like one."""
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
    """The words of a line that look like paths: `src/main.py`, `notes.md`."""
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


def without_reminders(text: str) -> tuple[str, bool]:
    """A user's text without what hooks and the program put into it, and whether nothing else is left (decision D20)."""
    left = text
    for name in _REMINDERS:
        left = _without(left, f"<{name}>", f"</{name}>")
    if left == text:
        return text, False
    return (left.strip(), False) if left.strip() else (text, True)


def _without(text: str, opening: str, closing: str) -> str:
    """The text without what stands between two marks; one that is never closed stays, as somebody's own words."""
    kept, done = [], 0
    while (begin := text.find(opening, done)) >= 0 and (end := text.find(closing, begin)) >= 0:
        kept.append(text[done:begin])
        done = end + len(closing)
    return "".join((*kept, text[done:])) if done else text


def flag(entry: dict[str, Any], *names: str) -> bool:
    """Tells whether one of these is set to true."""
    return any(entry.get(name) is True for name in names)
