"""Takes out what a platform does not count, and tells where the rest stood in the file."""

import re
from bisect import bisect_right
from collections.abc import Collection
from typing import Literal, NamedTuple

from engine.context.load.measure import JS_SPACE
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import code_mask

_COMMENT = re.compile(r" {0,3}<!--")


class CountedText(NamedTuple):
    """The text that counts, and the stretches of the file it was put together from, in order."""

    text: str
    pieces: tuple[tuple[int, int], ...]

    def stretches(self, start: int, end: int) -> list[tuple[int, int]]:
        """The stretches of the file that the characters `start` to `end` of the text come from."""
        starts, at = [], 0
        for first, last in self.pieces:
            starts.append(at)
            at += last - first
        found = []
        for index in range(max(0, bisect_right(starts, start) - 1), len(starts)):
            first, last = self.pieces[index]
            begin, stop = first + max(0, start - starts[index]), min(last, first + end - starts[index])
            if begin < stop:
                found.append((begin, stop))
        return found


def counted_text(text: str, not_counted: Collection[str], trim: Literal["none", "end", "both"] = "none") -> CountedText:
    """The text without what does not count, and without the blanks at its end or around it."""
    gone: list[tuple[int, int]] = []
    body = _frontmatter_end(text) if "frontmatter" in not_counted else 0
    if body:
        gone.append((0, body))
    if "comments" in not_counted:
        gone += _comments(text, body)
    pieces, at = [], 0
    for start, end in gone:
        pieces.append((at, start))
        at = end
    pieces.append((at, len(text)))
    counted = [piece for piece in pieces if piece[0] < piece[1]]
    if trim != "none":
        counted = _without_end(text, counted)
    if trim == "both":
        counted = _without_start(text, counted)
    return CountedText("".join(text[start:end] for start, end in counted), tuple(counted))


def _without_end(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    while pieces:
        start, end = pieces.pop()
        left = text[start:end].rstrip(JS_SPACE)
        if left:
            return [*pieces, (start, start + len(left))]
    return pieces


def _without_start(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    for at, (start, end) in enumerate(pieces):
        left = text[start:end].lstrip(JS_SPACE)
        if left:
            return [(end - len(left), end), *pieces[at + 1 :]]
    return []


def _frontmatter_end(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return len(data[: read_frontmatter(data).end].decode("utf-8", "surrogatepass"))


def _comments(text: str, start: int) -> list[tuple[int, int]]:
    """The comments that begin a line outside of code, each with the rest of the line it ends on."""
    lines = text.split("\n")
    found: list[tuple[int, int]] = []
    at = 0
    for line, in_code in zip(lines, code_mask(lines), strict=True):
        if at >= start and not in_code and _COMMENT.match(line) and (not found or at >= found[-1][1]):
            end = text.find("-->", at)
            if end >= 0:
                found.append((at, _after(text, end + 3)))
        at += len(line) + 1
    return found


def _after(text: str, end: int) -> int:
    """The start of the next line, where nothing but blanks is left on this one."""
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    return line_end if not text[end:line_end].strip() else end
