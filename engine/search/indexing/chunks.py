"""Cuts a note into pieces that each mean one thing: transcripts by turn, other notes by heading (decision D13)."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice

import msgspec

from engine.text.document import split_lines
from engine.text.markdown import MarkdownHeading, fence_after, heading_of

LONGEST = 1_600  # characters from which a section is cut further, at blank lines, then at lines
SHORTEST = 200  # characters below which neighbouring sections under one heading go together

_TURN = re.compile(r"##[ \t]+(\d{1,2}:\d\d(?::\d\d)?)[ \t]+[—–-]+[ \t]+(\w+)")
_TELLING = frozenset("#`~ ")
"""The first characters of a heading, a turn or a fence. Most lines begin otherwise and are not examined further."""


class Chunk(msgspec.Struct, frozen=True):
    """Lines `start` to `end` of a note, from 1, both included, with the headings above them, outermost first."""

    start: int
    end: int
    headings: tuple[str, ...]
    text: str
    role: str = ""


def chunks(text: str, first_line: int = 1) -> Iterator[Chunk]:
    """Yields chunks that cover every line of a note's body. `first_line`: the file's line where the body begins."""
    for section in _sections(split_lines(text), first_line):
        yield from _pieces(section)


class _Section(msgspec.Struct):
    start: int
    headings: tuple[str, ...]
    lines: list[str]
    role: str = ""


def _sections(lines: list[str], first_line: int) -> Iterator[_Section]:
    path: list[MarkdownHeading] = []
    section = _Section(first_line, (), [])
    fence = ""
    in_turns = False
    for number, line in enumerate(lines, first_line):
        if line[:1] not in _TELLING:
            section.lines.append(line)
            continue
        fence = fence_after(fence, line)
        turn = _TURN.match(line) if line.startswith("## ") else None
        heading = heading_of(line) if turn or not fence else None
        if heading is None or (in_turns and turn is None):
            section.lines.append(line)
            continue
        if section.lines:
            yield section
        fence, in_turns = "", in_turns or turn is not None
        path = [step for step in path if step.level < heading.level]
        if turn is None:
            path.append(heading)
        section = _Section(
            number, tuple(above.text for above in path if above.text), [line], turn[2].lower() if turn else ""
        )
    if section.lines:
        yield section


def _pieces(section: _Section) -> Iterator[Chunk]:
    """Yields a section whole, or cut into pieces of at most about `LONGEST` characters, at blank lines if possible."""
    start, held, size = section.start, list[str](), 0
    left = sum(map(len, section.lines))
    if left + len(section.lines) <= LONGEST * 3 // 4:  # too short to be cut anywhere
        yield _chunk(section, start, section.lines)
        return
    for number, line in enumerate(section.lines, section.start):
        paragraph_ends = not line.strip() and size > LONGEST // 2 and left > LONGEST // 4
        if held and (paragraph_ends or size + len(line) > LONGEST):
            yield _chunk(section, start, held)
            start, held, size = number, [], 0
        held.append(line)
        size += len(line) + 1
        left -= len(line)
    if held:
        yield _chunk(section, start, held)


def _chunk(section: _Section, start: int, lines: list[str]) -> Chunk:
    return Chunk(start, start + len(lines) - 1, section.headings, "\n".join(lines), section.role)


MOST = 64  # days that are kept of one chunk: a table of dates is about none of them
_DAY = re.compile(r"(?<![0-9A-Za-z-])([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9A-Za-z-])")
_BEFORE = re.compile(r"[\s#>*+|(\[_`~-]*(?:[0-9]{1,3}[.)] +)?[(\[_*`]*")
"""The marks allowed before an entry's date: of lists, headings, quotes and tables, and a number."""
_BEHIND = re.compile(r"[)\]]\W*")
_FURTHEST = 24  # characters between a date and either end of its line, beyond which it is not looked at


def entry_days(chunk: Chunk) -> tuple[date, ...]:
    """The dates of a chunk's entries, and that of the innermost dated heading, in order and without duplicates."""
    above = next((day for name in reversed(chunk.headings) for day in _days(name)), None)
    found = {*_days(chunk.text), *((above,) if above is not None else ())}
    return tuple(islice(sorted(found), MOST))


def _days(text: str) -> Iterator[date]:
    """Yields the days of entries. Most lines have no date, so the text is searched for dates first."""
    for found in _DAY.finditer(text) if "-0" in text or "-1" in text else ():  # every month begins so
        if _heads(text, found.start()) or _ends(text, found.start(), found.end()):
            yield from _day(found[1])


def _heads(text: str, start: int) -> bool:
    """Tells whether only marks stand before the date on its line."""
    line = text.rfind("\n", max(0, start - _FURTHEST), start) + 1
    return bool(line or start <= _FURTHEST) and _BEFORE.fullmatch(text, line, start) is not None


def _ends(text: str, start: int, end: int) -> bool:
    """Tells whether the date stands in brackets at the end of its line."""
    rest = text[end : end + _FURTHEST].split("\n", 1)[0]
    return text[max(0, start - 1) : start] in ("(", "[") and _BEHIND.fullmatch(rest) is not None


def _day(text: str) -> tuple[date, ...]:
    try:
        return (date.fromisoformat(text),)
    except ValueError:
        return ()
