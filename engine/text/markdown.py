"""Reads the headings and code fences of markdown line by line, as CommonMark 0.31 has them outside lists and quotes. A
property test holds it equal to `markdown-it-py`, which is not used here: to parse blocks takes it eleven times as long
as to cut a note into pieces for the index, and a line is needed by itself where only a screenful is shown."""

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
    """The code between two fences: indexes of its first and last line, fences included, and what the first one says. A
    block that is never closed reaches to the end."""

    start: int
    end: int
    info: str
    closed: bool


def heading_of(line: str) -> MarkdownHeading | None:
    """Gives the heading that a line is. The line stands outside code."""
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
    """Gives the mark and the info of a fence that opens code on this line. The line stands outside code."""
    found = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if found is None or (found[1][0] == "`" and "`" in found[2]):
        return None
    return found[1], found[2].strip(_BLANKS)


def fence_after(fence: str, line: str) -> str:
    """Gives the mark of the fence that is open below a line, empty for none; `fence` is the one open above it."""
    if "```" not in line and "~~~" not in line:
        return fence
    if fence:
        mark = _FENCE.match(line)
        closes = mark is not None and mark[1].startswith(fence) and not mark[2].strip(_BLANKS)
        return "" if closes else fence
    found = fence_of(line)
    return found[0] if found else ""


def code_mask(lines: Iterable[str]) -> Iterator[bool]:
    """Tells of each line whether it stands in fenced code; a fence stands in the code that it opens or closes."""
    fence = ""
    for line in lines:
        above, fence = fence, fence_after(fence, line)
        yield bool(above or fence)


def fenced_blocks(lines: Iterable[str]) -> Iterator[FencedBlock]:
    """Gives the fenced code of a text in order."""
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
