"""A shard's text cut into pieces that are never cut further: entries, or sections where it has none (decision A24)."""

import re
from collections.abc import Iterator

import msgspec

from engine.compactor.semantic.entry import TITLE, field_of, read_entries
from engine.text.markdown import code_mask, heading_of

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Whole lines of a shard from line `start` to line `end`, both counted from 1, and the heading they stand below."""

    text: str
    start: int
    end: int
    heading: str = ""
    title: str = ""
    body: str = ""


class CutText(msgspec.Struct, frozen=True):
    """A shard's pieces and what stands before the first; joined they are its text again."""

    preamble: str
    pieces: tuple[Piece, ...]


class _Line(msgspec.Struct, frozen=True):
    text: str
    level: int
    """Of a heading; 0 for any other line."""
    title: bool


def cut(text: str) -> CutText:
    """Cuts a text before each entry, or before each heading where it has no `Title:`. Headings directly above an entry
    belong to it, and to those after it up to the next such heading."""
    lines = list(_lines(text))
    starts = _starts(lines)
    first = starts[0] if starts else len(lines)
    heading, pieces = "", []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        if lines[start].level:
            heading = _heading(lines[start].text)
        pieces.append(_piece(lines, start, end, heading))
    return CutText("".join(line.text for line in lines[:first]), tuple(pieces))


def _lines(text: str) -> Iterator[_Line]:
    lines = _LINE.findall(text)
    for line, inside in zip(lines, code_mask(lines), strict=True):
        heading = None if inside else heading_of(line)
        titled = not inside and field_of(line.rstrip("\r\n")) == TITLE
        yield _Line(line, heading.level if heading else 0, titled)


def _starts(lines: list[_Line]) -> list[int]:
    """The indexes of the lines at which pieces begin."""
    if not any(line.title for line in lines):
        return [index for index, line in enumerate(lines) if line.level > 1]
    return [_with_headings(lines, index) for index, line in enumerate(lines) if line.title]


def _with_headings(lines: list[_Line], title: int) -> int:
    """The first of the headings that stand directly above a title; the title itself where there is none."""
    start = title
    for index in range(title - 1, -1, -1):
        if lines[index].level > 1:
            start = index
        elif lines[index].text.strip():
            break
    return start


def _piece(lines: list[_Line], start: int, end: int, heading: str) -> Piece:
    text = "".join(line.text for line in lines[start:end])
    titled = next((index for index in range(start, end) if lines[index].title), None)
    if titled is None:
        return Piece(text=text, start=start + 1, end=end, title=heading, body=text.partition("\n")[2])
    entries, _ = read_entries("".join(line.text for line in lines[titled:end]))
    body = f"{entries[0].insight} {entries[0].impact}" if entries else ""
    title = entries[0].title if entries else ""
    return Piece(text=text, start=start + 1, end=end, heading=heading, title=title, body=body)


def _heading(line: str) -> str:
    heading = heading_of(line)
    return heading.text if heading else ""
