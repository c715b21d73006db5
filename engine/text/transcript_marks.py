"""Reads and escapes the marks of a transcript: turns, tools, days, and their times (autopoiesis §2.1)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class Speaker(StrEnum):
    """The speaker of a message (autopoiesis §2.1)."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


TURN = re.compile(r"## (\d{1,2}):(\d{2}) [—–-]+ (user|agent|system)(?: \[([\w-]{1,40}|from [^\[\]\n]{1,60})\])?\s*\Z")
TOOL = re.compile(r"> \[tool:([^\]\n]{1,200})\] ?(.*)\Z")
DAY = re.compile(r"<!-- (\d{4}-\d{2}-\d{2})(?: ([+-]\d{2}:\d{2}(?::\d{2})?))? -->\s*\Z")
"""A new day, or another time offset from here on: `<!-- 2026-11-01 -05:00 -->`."""
_FIRST_YEAR, _LAST_YEAR = 1971, 2199
_MOST_HEAD = 400  # lines within which the frontmatter has to end
MEMORY = "memory"  # marks a turn that tells what was written to memory
UNTRUSTED = "untrusted"  # marks a turn of which it is not known who wrote it: an unknown wrapper (decision D57)
_FROM = "from "
_NO_NAME = re.compile(r"[\[\]\s]+")


def from_other(name: str) -> str:
    """Returns the mark of a turn by somebody other than the owner; untrusted if the name has no letters."""
    plain = "".join(char for char in _NO_NAME.sub(" ", name) if char.isprintable()).strip()[:60].strip()
    return f"{_FROM}{plain}" if plain else UNTRUSTED


def is_trusted(mark: str) -> bool:
    """Tells whether a turn with this mark is the owner's; else it is at most a proposal (decision D57)."""
    return mark != UNTRUSTED and not mark.startswith(_FROM)


def instant(text: object) -> datetime | None:
    """Reads a session file's time: ISO 8601, or seconds or milliseconds since 1970; None for an unlikely year."""
    at = _instant(text)
    return at if at is not None and _FIRST_YEAR <= at.year <= _LAST_YEAR else None


def _instant(text: object) -> datetime | None:
    try:
        if isinstance(text, int | float) and not isinstance(text, bool):
            return datetime.fromtimestamp(text / 1000 if abs(text) > 1e11 else text, UTC)
        at = as_written(text) if isinstance(text, str) else None
        return at.astimezone(UTC) if at is not None else None
    except (ValueError, OverflowError, OSError):
        return None


def as_written(text: str) -> datetime | None:
    """Reads an ISO 8601 time with its offset; None for other text."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


_MARKED = re.compile(r"\\*(?:## |> \[|<!-- \d)")
_ESCAPED = re.compile(r"\\+(?:## |> \[|<!-- \d)")
_BREAKS = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
"""All line ends that any reader knows, so that no reader sees a mark where another sees none."""


def escaped(text: str) -> str:
    """Puts a backslash before lines of a message that look like a mark, so that none is forged (D33)."""
    # One more backslash also where there are some: what was said can be told from what was escaped.
    return "\n".join(f"\\{line}" if _MARKED.match(line) else line for line in _BREAKS.split(text))


def unescaped(line: str) -> str:
    """Undoes `escaped` on a line."""
    return line[1:] if line.startswith("\\") and _ESCAPED.match(line) else line


class TranscriptHead:
    """Reads the wanted keys of a transcript's frontmatter line by line."""

    def __init__(self, keys: str) -> None:
        self._wanted = re.compile(rf"({keys}):\s*[\"']?([^\"'\s]+)")
        self._lines = 0  # lines so far; -1 behind it

    def takes(self, text: str, keep: Callable[[str, str], None]) -> bool:
        """Tells whether a line belongs to the frontmatter; calls `keep` with each wanted key and value."""
        if self._lines < 0:
            return False
        self._lines += 1
        if self._lines == 1 and text.removeprefix("\ufeff").rstrip() != "---":
            self._lines = -1
            return False
        if self._lines > 1 and (text.rstrip() == "---" or self._lines > _MOST_HEAD):
            self._lines = -1
        elif found := self._wanted.match(text):
            keep(found[1], found[2])
        return True


_TEXTS = ("text", "input_text", "output_text")


def texts(content: object) -> str:
    """Returns the text of a message's content, each block on its own line."""
    return "\n".join(text_blocks(content))


def text_blocks(content: object) -> list[str]:
    """Returns the texts of a message's content: a string, or blocks of type `text`."""
    if isinstance(content, str):
        return [content]
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict) and block.get("type") in _TEXTS and isinstance(block.get("text"), str):
            found.append(block["text"])
    return found


def flag(entry: dict[str, Any], *names: str) -> bool:
    """Tells whether one of these keys is true."""
    return any(entry.get(name) is True for name in names)
