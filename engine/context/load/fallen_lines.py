"""Finds a file's imports, the part of its text that counts, and the lines that fall off, with their entries."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.context.load.cuts import JS_SPACE
from engine.text.derived import redacted_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import redact

_COMMENT = re.compile(r" {0,3}<!--")
_IMPORT = re.compile(r"(?:^|(?<=\s))@([^\s`]+)")
_CODE = re.compile(r"`+[^`\n]*`+")


def imports_of(text: str, path: str) -> Iterator[str]:
    """Yields the paths that a file imports by `@path`, as Claude Code and Gemini do; workspace-relative if inside."""
    lines = text.split("\n")
    for line, in_code in zip(lines, code_mask(lines), strict=True):
        if in_code or "@" not in line:
            continue
        for match in _IMPORT.finditer(_CODE.sub("", line)):
            named = match[1].rstrip(".,;:)")
            if "/" not in named and not named.endswith(".md"):  # `@name` alone is somebody's name
                continue
            inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
            yield named if named.startswith(("/", "~")) else inside


class CountedText(NamedTuple):
    """The text that counts, and the ranges of the file that it consists of."""

    text: str
    pieces: tuple[tuple[int, int], ...]

    def stretches(self, start: int, end: int) -> list[tuple[int, int]]:
        """Returns the ranges of the file for the characters `start` to `end` of the text."""
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
    """Removes what does not count, and blanks at the end or on both sides."""
    data = text.encode("utf-8", "surrogatepass") if "frontmatter" in not_counted else b""
    body = len(data[: read_frontmatter(data).end].decode("utf-8", "surrogatepass"))
    gone = [(0, body), *(_comments(text, body) if "comments" in not_counted else ())]
    between = zip((0, *(end for _, end in gone)), (*(start for start, _ in gone), len(text)), strict=True)
    pieces = tuple((start, end) for start, end in between if start < end)
    whole = "".join(text[start:end] for start, end in pieces)
    first = len(whole) - len(whole.lstrip(JS_SPACE)) if trim == "both" else 0
    last = len(whole) if trim == "none" else len(whole.rstrip(JS_SPACE))
    return CountedText(whole[first:last], tuple(CountedText(whole, pieces).stretches(first, last)))


def _comments(text: str, start: int) -> list[tuple[int, int]]:
    """Returns the ranges of comments that begin a line outside code, with the rest of their last line if blank."""
    lines = text.split("\n")
    found: list[tuple[int, int]] = []
    at = 0
    for line, in_code in zip(lines, code_mask(lines), strict=True):
        if at >= start and not in_code and _COMMENT.match(line) and (not found or at >= found[-1][1]):
            end = text.find("-->", at)
            if end >= 0:
                following = text.find("\n", end) + 1 or len(text)
                found.append((at, following if not text[end + 3 : following].strip() else end + 3))
        at += len(line) + 1
    return found


class FallenLine(msgspec.Struct, frozen=True, gc=False):
    """A line (from 1) that is not loaded or only in part, without secrets, and its heading."""

    line: int
    text: str
    entry: str
    partly: bool = False


def fallen_lines(
    text: str, kept: Sequence[tuple[int, int]], counted: Sequence[tuple[int, int]]
) -> tuple[FallenLine, ...]:
    """Returns the non-blank lines of which a counted part is not kept."""
    lines = text.split("\n")
    found: list[FallenLine] = []
    entry, at = "", 0
    for number, (line, in_code) in enumerate(zip(lines, code_mask(lines), strict=True), start=1):
        heading = None if in_code else heading_of(line)
        entry = heading.text if heading is not None else entry
        if content := line.strip(JS_SPACE):
            start = at + line.index(content)
            stretch = (start, start + len(content))
            there, due = _common(stretch, kept), _common(stretch, counted)
            if there < due:
                found.append(FallenLine(number, line.rstrip("\r"), entry, partly=there > 0))
        at += len(line) + 1
    shown = redacted_lines(lines) if found else []
    return tuple(replace(one, text=shown[one.line - 1].rstrip("\r"), entry=redact(one.entry)) for one in found)


def _common(stretch: tuple[int, int], others: Sequence[tuple[int, int]]) -> int:
    total = 0
    for start, end in others[max(0, bisect_right(others, stretch) - 1) :]:
        if start >= stretch[1]:
            break
        total += max(0, min(end, stretch[1]) - max(start, stretch[0]))
    return total
