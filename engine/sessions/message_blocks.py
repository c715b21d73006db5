"""The blocks that a message of a session file is made of, read without trust in any of them."""

import re
from collections.abc import Iterator
from datetime import datetime

from engine.sessions.messages import MOST_TOOLS, SessionLine
from engine.sessions.who_spoke import who_spoke
from engine.text.message_content import text_blocks, texts
from engine.text.transcript_marks import Speaker
from engine.topics.messages import ToolCall

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
    """The own words of a message by the rules of its tool; its whole text, injected, where it has none."""
    said = who_spoke(role, text_blocks(content), platform)
    if said.text.strip() or not said.left_out:
        return SessionLine(role, said.text, at, tools, mark=said.mark)
    return SessionLine(role, texts(content), at, tools, injected=True)


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
