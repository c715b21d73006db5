"""The compiled episodic file: how it is written, and how an old one is read (compactor §Workflow 2)."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import PurePosixPath

import msgspec

from engine.models.summary import Point, Summary
from engine.plans.plan import LineOrigin
from engine.workspace.derived import derived_line, derived_lines
from engine.workspace.document import split_lines
from engine.workspace.frontmatter import write_frontmatter
from engine.workspace.values import FileDate, LineSpan

MOST_POINTS = 5
"""Bullets of a summary (compactor §Summarize Working → Episodic: 3–5)."""
NOTHING = "(nothing to summarise)"
NONE = "(none)"

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_BULLET = re.compile(r"\s{0,6}(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_PLACEHOLDERS = frozenset({NOTHING, NONE, "none", "n/a", "-"})
_SECTIONS = {
    "summary": "summary",
    "decisions": "decisions",
    "key decisions": "decisions",
    "extracted insights": "insights",
    "insights": "insights",
    "lessons": "insights",
    "lessons learned": "insights",
    "learnings": "insights",
    "principles": "insights",
}


class Compiled(msgspec.Struct, frozen=True):
    """A compiled note: the file's whole text, and the source of each of its bullets."""

    content: str
    origins: tuple[LineOrigin, ...]


def compile_note(
    source: str, archived_as: str, own_date: FileDate, today: date, summary: Summary, method: str
) -> Compiled:
    """The episodic file for a working note. `method` says how it was summarised (decision G9)."""
    values: dict[str, str | list[str]] = {
        "source-date": own_date.day.isoformat(),
        "source": source,
        "archived-as": archived_as,
        "compiled": today.isoformat(),
        "summary": method,
    }
    if own_date.low_confidence:
        values["date-confidence"] = "low"
    lines = split_lines(write_frontmatter(values))
    lines.append(f"# Compiled: {derived_line(PurePosixPath(source).name)}")
    origins: list[LineOrigin] = []
    for heading, points, empty in (
        ("Summary", summary.events[:MOST_POINTS], NONE if summary.decisions or summary.insights else NOTHING),
        ("Decisions", summary.decisions, NONE),
        ("Extracted Insights", summary.insights, NONE),
    ):
        lines.append(f"## {heading}")
        for point, text in zip(points, derived_lines([point.text for point in points]), strict=True):
            lines.append(f"- {text}")
            origins.append(LineOrigin(len(lines), LineSpan(source, point.start, point.end)))
        if not points:
            lines.append(empty)
    return Compiled("\n".join(lines) + "\n", tuple(origins))


class EpisodicNote(msgspec.Struct, frozen=True, kw_only=True):
    """What an episodic file holds, line numbers as in the file. `sections`: whether it has any that we know."""

    summary: tuple[Point, ...]
    decisions: tuple[Point, ...]
    insights: tuple[Point, ...]
    sections: bool


def read_note(text: str, first_line: int = 1) -> EpisodicNote:
    """The bullets below the headings we know; `first_line` is the line of the file where `text` begins."""
    found: dict[str, list[Point]] = {"summary": [], "decisions": [], "insights": []}
    seen = False
    section: str | None = None
    for number, line in _lines_outside_code(text, first_line):
        heading = _HEADING.fullmatch(line)
        if heading:
            section = _SECTIONS.get(heading[2].strip(" :*_").casefold())
            seen = seen or section is not None
        elif section is not None:
            _take(found[section], number, line)
    return EpisodicNote(
        summary=_real(found["summary"]),
        decisions=_real(found["decisions"]),
        insights=_real(found["insights"]),
        sections=seen,
    )


def _take(points: list[Point], number: int, line: str) -> None:
    bullet = _BULLET.fullmatch(line)
    if bullet:
        points.append(Point(bullet[1].strip(), number, number))
    elif line.strip() and points and line[:1].isspace() and points[-1].end == number - 1:
        last = points.pop()
        points.append(Point(f"{last.text} {line.strip()}", last.start, number))


def _real(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple(point for point in points if point.text.casefold() not in _PLACEHOLDERS)


def _lines_outside_code(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    fence = ""
    for number, line in enumerate(split_lines(text), first_line):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            yield number, line
