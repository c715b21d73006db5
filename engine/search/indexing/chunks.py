"""A note in pieces small enough to mean one thing: by turn in a transcript, by heading elsewhere (decision D13)."""

import re
from collections.abc import Iterator

import msgspec

from engine.text.document import split_lines
from engine.text.markdown import MarkdownHeading, fence_after, heading_of

LONGEST = 1_600  # characters from which a section is cut further, at blank lines, then at lines
SHORTEST = 200  # characters below which neighbouring sections under one heading go together

_TURN = re.compile(r"##[ \t]+(\d{1,2}:\d\d(?::\d\d)?)[ \t]+[—–-]+[ \t]+(\w+)")
_TELLING = frozenset("#`~ ")
"""The first characters of a heading, a turn or a fence: most lines are looked at no further."""


class Chunk(msgspec.Struct, frozen=True):
    """Lines `start` to `end` of a note, from 1, both included, with the headings they stand under, outermost first."""

    start: int
    end: int
    headings: tuple[str, ...]
    text: str
    role: str = ""


def chunks(text: str, first_line: int = 1) -> Iterator[Chunk]:
    """Every line of a note's body in some chunk. `first_line` is where the body begins in the file."""
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
    """A section as it is, or cut into pieces of at most about `LONGEST` characters, at blank lines where there are."""
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
