"""Cuts a shard's text into pieces that stay whole: entries, or sections if it has none (decision A24)."""

import re
from itertools import pairwise

import msgspec

from engine.compactor.semantic.entry import TITLE, field_of, read_entries
from engine.text.markdown import code_mask, heading_of

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Whole lines `start` to `end` of a shard, counted from 1, and the heading above them."""

    text: str
    start: int
    end: int
    heading: str = ""
    title: str = ""
    body: str = ""


class CutText(msgspec.Struct, frozen=True):
    """A shard's pieces and the text before the first; joined they are the whole text."""

    preamble: str
    pieces: tuple[Piece, ...]


class _Line(msgspec.Struct, frozen=True):
    text: str
    heading: str
    level: int  # of a heading; 0 for any other line
    title: bool


def cut(text: str) -> CutText:
    """Cuts a text before each entry, or before each heading if it has no `Title:`. Headings right above an entry belong
    to it and to the following entries."""
    raw = _LINE.findall(text)
    lines = []
    for line, inside in zip(raw, code_mask(raw), strict=True):
        found = None if inside else heading_of(line)
        titled = not inside and field_of(line.rstrip("\r\n")) == TITLE
        lines.append(_Line(line, found.text if found else "", found.level if found else 0, titled))
    starts = [_with_headings(lines, index) for index, line in enumerate(lines) if line.title]
    starts = starts or [index for index, line in enumerate(lines) if line.level > 1]
    heading, pieces = "", []
    for start, end in pairwise([*starts, len(lines)]):
        heading = lines[start].heading if lines[start].level else heading
        pieces.append(_piece(lines, start, end, heading))
    return CutText("".join(line.text for line in lines[: next(iter(starts), len(lines))]), tuple(pieces))


def _with_headings(lines: list[_Line], title: int) -> int:
    """Returns the index of the first heading right above a title; the title's own if there is none."""
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
    title, body = (entries[0].title, f"{entries[0].insight} {entries[0].impact}") if entries else ("", "")
    return Piece(text=text, start=start + 1, end=end, heading=heading, title=title, body=body)
