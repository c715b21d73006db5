"""Reads headings and code fences of markdown line by line, like CommonMark 0.31 outside lists and quotes. A property
test compares it with `markdown-it-py`, which takes eleven times as long as cutting a note, and reads no single line."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_HEADING = re.compile(r" {0,3}(#{1,6})(?![^ \t\r\n])(.*)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_BLANKS = " \t\r\n"


class MarkdownHeading(NamedTuple):
    """A heading of one line: its level from 1 to 6, and its text as written, without the closing `#`."""

    level: int
    text: str


class FencedBlock(NamedTuple):
    """Code between two fences: their line indexes, and the first one's info. An unclosed block reaches to the end."""

    start: int
    end: int
    info: str
    closed: bool


def heading_of(line: str) -> MarkdownHeading | None:
    """Returns the heading on a line outside code; None if it is none."""
    found = _HEADING.match(line) if "#" in line[:4] else None
    if found is None:
        return None
    text = found[2].strip(_BLANKS)
    if text.endswith("#"):
        before = text.rstrip("#")
        if not before or before[-1] in _BLANKS:  # `# C#` is about C#, and `# C #` about C
            text = before.rstrip(_BLANKS)
    return MarkdownHeading(len(found[1]), text)


def fence_of(line: str) -> tuple[str, str] | None:
    """Returns mark and info of a fence that opens code on a line outside code; None if there is none."""
    found = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if found is None or (found[1][0] == "`" and "`" in found[2]):
        return None
    return found[1], found[2].strip(_BLANKS)


def fence_after(fence: str, line: str) -> str:
    """Returns the mark of the fence open below a line, empty if there is none. `fence`: the one open above."""
    if "```" not in line and "~~~" not in line:
        return fence
    if fence:
        mark = _FENCE.match(line)
        closes = mark is not None and mark[1].startswith(fence) and not mark[2].strip(_BLANKS)
        return "" if closes else fence
    found = fence_of(line)
    return found[0] if found else ""


def code_mask(lines: Iterable[str]) -> Iterator[bool]:
    """Yields for each line whether it is in fenced code, fences included."""
    fence = ""
    for line in lines:
        above, fence = fence, fence_after(fence, line)
        yield bool(above or fence)


def fenced_blocks(lines: Iterable[str]) -> Iterator[FencedBlock]:
    """Yields the fenced code of a text in order."""
    fence, info = "", ""
    start = at = -1
    for at, line in enumerate(lines):
        above, fence = fence, fence_after(fence, line)
        if fence and not above:
            start, info = at, (fence_of(line) or ("", ""))[1]
        elif above and not fence:
            yield FencedBlock(start, at, info, closed=True)
    if fence:
        yield FencedBlock(start, at, info, closed=False)
