"""Reads an episodic file: the points below the headings we know, and entries that stand there ready (decision A15)."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from engine.compactor.notes.working_to_episodic import NOTHING
from engine.compactor.semantic.entry import TITLE, field_of
from engine.models.labels import heading_role
from engine.models.summary import Point
from engine.text.derived import NONE
from engine.text.document import split_lines
from engine.text.markdown import code_mask, heading_of
from engine.text.pattern_file import pattern_file

_BULLET = re.compile(r"\s{0,6}(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")
_NO_PROSE = re.compile(r"\s*(?:[|<]|(?:[-=*_]\s*){3,}$|[-*+]\s*$)")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_PLACEHOLDERS = frozenset({NOTHING, NONE, "none", "n/a", "-"})
_HEADINGS = pattern_file(__package__, "sections.toml")["sections"]
_SECTIONS = {heading: section for section, headings in _HEADINGS.items() for heading in headings}
_OF_ROLE = {"insight": "insights", "decision": "decisions"}


class DraftedEntry(msgspec.Struct, frozen=True):
    """An entry that stands in a file in the form of the schema: its lines, and the number of the first."""

    text: str
    start: int


class EpisodicNote(msgspec.Struct, frozen=True, kw_only=True):
    """The content of an episodic file, with line numbers as in the file. `sections`: True if it has known ones."""

    summary: tuple[Point, ...]
    decisions: tuple[Point, ...]
    insights: tuple[Point, ...]
    sections: bool
    facts: tuple[Point, ...] = ()
    titles: tuple[Point, ...] = ()
    """Headings that say what the file is about, and name none of these parts."""
    drafts: tuple[DraftedEntry, ...] = ()


def read_note(text: str, first_line: int = 1) -> EpisodicNote:
    """The bullets and paragraphs below the headings we know; `first_line` is the file's line where `text` begins."""
    reader = _Reader()
    lines = list(_lines_outside_code(text, first_line))
    begins = set(_draft_starts(lines))
    for number, line in lines:
        reader.read(number, line, begins=number in begins)
    return EpisodicNote(
        summary=_real(reader.points["summary"]),
        decisions=_real(reader.points["decisions"]),
        insights=_real(reader.points["insights"]),
        facts=_real(reader.points["facts"]),
        titles=tuple(reader.titles),
        sections=reader.seen,
        drafts=tuple(DraftedEntry("\n".join(lines), start) for start, lines in reader.drafts),
    )


class _Reader:
    """Takes lines one at a time. A draft goes on until something stands there that is no part of an entry."""

    def __init__(self) -> None:
        self.points: dict[str, list[Point]] = {"summary": [], "decisions": [], "insights": [], "facts": []}
        self.drafts: list[tuple[int, list[str]]] = []
        self.titles: list[Point] = []
        self.seen = False
        self._section: str | None = None
        self._drafting = False

    def read(self, number: int, line: str, *, begins: bool) -> None:
        """Takes a line; `begins`: an entry in the form of the schema begins on it."""
        heading = heading_of(line)
        if heading:
            title = heading.text.strip(" :*_")
            self._section = _SECTIONS.get(title.casefold()) or _OF_ROLE.get(heading_role(title))
            self.seen = self.seen or self._section is not None
            self._drafting = False
            if self._section is None:
                self.titles.append(Point(title, number, number))
        elif (begins or self._drafting or self._section == "insights") and self._draft(number, line):
            return
        elif self._section is not None:
            _take(self.points[self._section], number, line)

    def _draft(self, number: int, line: str) -> bool:
        field = field_of(line)
        if field == TITLE:
            self.drafts.append((number, [line]))
            self._drafting = True
            return True
        if self._drafting:
            lines = self.drafts[-1][1]
            goes_on = bool(lines[-1].strip()) and not _BULLET.fullmatch(line)
            self._drafting = field is not None or not line.strip() or goes_on
            if self._drafting:
                lines.append(line)
        return self._drafting


def _take(points: list[Point], number: int, line: str) -> None:
    bullet = _BULLET.fullmatch(line)
    if bullet:
        points.append(Point(bullet[1].strip(), number, number))
        return
    text = _QUOTE.sub("", line).strip()
    if not text or _NO_PROSE.match(line):
        return
    if points and points[-1].end == number - 1 and points[-1].text.casefold() not in _PLACEHOLDERS:
        last = points.pop()
        points.append(Point(f"{last.text} {text}", last.start, number))
    else:
        points.append(Point(text, number, number))


def _draft_starts(lines: Sequence[tuple[int, str]]) -> Iterator[int]:
    """The lines with a `Title:` that another field follows: an entry that somebody wrote out, below any heading."""
    told = [(number, line) for number, line in lines if line.strip()]
    for (number, line), (_, after) in pairwise(told):
        if field_of(line) == TITLE and field_of(after) not in (None, TITLE):
            yield number


def _real(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple(point for point in points if point.text.casefold() not in _PLACEHOLDERS)


def _lines_outside_code(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    lines = split_lines(text)
    for number, (line, inside) in enumerate(zip(lines, code_mask(lines), strict=True), first_line):
        if not inside:
            yield number, line
