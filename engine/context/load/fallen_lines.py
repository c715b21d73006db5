"""Names the lines of a file that fall off: which they are, and the entry that each belongs to."""

from bisect import bisect_right
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from engine.context.load.measure import JS_SPACE
from engine.text.derived import redacted_lines
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import redact


class FallenLine(msgspec.Struct, frozen=True, gc=False):
    """Line `line` (from 1) of a file that is not loaded, or only in part, without secrets, and the heading over it."""

    line: int
    text: str
    entry: str
    partly: bool = False


def fallen_lines(
    text: str, kept: Sequence[tuple[int, int]], counted: Sequence[tuple[int, int]]
) -> tuple[FallenLine, ...]:
    """The lines of which something that counts is not among what is kept. Blank lines are none."""
    lines = text.split("\n")
    found: list[FallenLine] = []
    entry, at = "", 0
    for number, (line, in_code) in enumerate(zip(lines, code_mask(lines), strict=True), start=1):
        heading = None if in_code else heading_of(line)
        entry = heading.text if heading is not None else entry
        content = line.strip(JS_SPACE)
        if content:
            start = at + line.index(content)
            stretch = (start, start + len(content))
            there, due = _common(stretch, kept), _common(stretch, counted)
            if there < due:
                found.append(FallenLine(number, line.rstrip("\r"), entry, partly=there > 0))
        at += len(line) + 1
    shown = redacted_lines(lines) if found else []
    return tuple(replace(one, text=shown[one.line - 1].rstrip("\r"), entry=redact(one.entry)) for one in found)


def _common(stretch: tuple[int, int], others: Sequence[tuple[int, int]]) -> int:
    """Counts the characters of a stretch that lie in others, which are in order."""
    total = 0
    for start, end in others[max(0, bisect_right(others, stretch) - 1) :]:
        if start >= stretch[1]:
            break
        total += max(0, min(end, stretch[1]) - max(start, stretch[0]))
    return total
