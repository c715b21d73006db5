"""Notes of strangers' agents, split by source, and what the product and three simple rivals make of each."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from zlib import crc32

import msgspec

from engine.compactor.notes.working_to_episodic import compile_note
from engine.compactor.semantic.entry import read_entries, render
from engine.models.extractive import ExtractiveSummariser
from engine.models.summary import NoteToSummarise
from engine.text.document import split_lines
from engine.workspace.values import DateSource, FileDate
from tests.benchmarks import weekly_loop
from tests.benchmarks.evaluate_summaries import by_centre
from tests.conftest import SHARED

ROOT = SHARED / "real-notes"
OURS = "memdeck"
HALVES = ("choose", "judge")
"""Rules may be chosen on the sources of the first; figures are those of the second."""
_DATED = re.compile(r"(20\d\d)-(\d\d)-(\d\d)")
_HEADING = re.compile(r"\s*#+\s+(.*)")
_MOST = 9_000
"""Characters of a note that is drawn: a reader has to read it whole."""


class RealNote(msgspec.Struct, frozen=True):
    """A note by its path below the data set, with its text."""

    path: str
    text: str

    @property
    def source(self) -> str:
        return self.path.partition("/")[0]


class Summarised(msgspec.Struct, frozen=True):
    """What one system made of a note, and the numbers of the note's lines that stand in it."""

    note: str
    system: str
    text: str
    lines: tuple[int, ...]


def half_of(source: str) -> str:
    """The half that a source belongs to."""
    return HALVES[crc32(source.encode()) % 2]


@cache
def notes(half: str) -> tuple[RealNote, ...]:
    """The dated and the undated notes of a half that hold more than three lines, in order of paths."""
    paths = (path for path in sorted(ROOT.rglob("*.md")) if half_of(_name(path).partition("/")[0]) == half)
    read = (RealNote(_name(path), path.read_text("utf-8", "replace")) for path in paths)
    return tuple(one for one in read if len(one.text.split("\n")) > 3 and len(one.text) <= _MOST)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def summarised(given: Sequence[RealNote]) -> Iterator[Summarised]:
    """For each note what the product writes, then each rival's lines of the same length."""
    asked = [NoteToSummarise(one.path, one.text) for one in given]
    for note, summary in zip(given, ExtractiveSummariser().summarise(asked, _no_tick), strict=True):
        compiled = compile_note(note.path, "", FileDate(_day(note), DateSource.NAME), _day(note), summary, "extractive")
        text = compiled.content.partition("\n# Compiled")[2].partition("\n")[2]
        used = {number for one in compiled.origins for number in range(one.source.start, one.source.end + 1)}
        yield Summarised(note.path, OURS, text, tuple(sorted(used)))
        for system, ranking in RIVALS.items():
            yield _rival(note, system, ranking, len(text))


def _rival(note: RealNote, system: str, ranking: "Ranking", length: int) -> Summarised:
    lines, taken, spent = split_lines(note.text), list[int](), 0
    for number in ranking(lines):
        if spent + len(lines[number]) > max(length, 200):
            break
        taken.append(number)
        spent += len(lines[number])
    return Summarised(
        note.path, system, "\n".join(f"- {lines[one].strip()}" for one in taken), tuple(one + 1 for one in taken)
    )


Ranking = Callable[[Sequence[str]], Sequence[int]]


def _first(lines: Sequence[str]) -> Sequence[int]:
    return [number for number, line in enumerate(lines) if line.strip() and not _HEADING.match(line)]


def _central(lines: Sequence[str]) -> Sequence[int]:
    bodies = [lines[number] for number in _first(lines)]
    places = {line: number for number, line in enumerate(lines)}
    return [places[line] for line in dict.fromkeys(by_centre(bodies))]


def _headings(lines: Sequence[str]) -> Sequence[int]:
    return [number for number, line in enumerate(lines) if _HEADING.match(line)]


RIVALS: dict[str, Ranking] = {"first lines": _first, "TF-IDF": _central, "headings": _headings}


def entries(given: Sequence[RealNote]) -> Iterator[tuple[str, str]]:
    """The semantic entries that the weekly loop writes once a source's notes are old: the source, and the entry."""
    for source in sorted({one.source for one in given}):
        days = _days([one for one in given if one.source == source])
        for path, text in weekly_loop.run(days).items():
            if path.startswith("memory/semantic/"):
                yield from ((source, render(entry)) for entry in read_entries(text)[0])


def _days(given: Sequence[RealNote]) -> dict[date, str]:
    """One note a day; one whose day is taken comes on the next free one."""
    days: dict[date, str] = {}
    for note in given:
        day = _day(note)
        while day in days:
            day += timedelta(days=1)
        days[day] = note.text
    return days


def _day(note: RealNote) -> date:
    dated = _DATED.search(note.path)
    try:
        return date(*map(int, dated.groups())) if dated else datetime(2026, 3, 1, tzinfo=UTC).date()
    except ValueError:
        return datetime(2026, 3, 1, tzinfo=UTC).date()


def _no_tick(done: int, total: int) -> None:
    """Nobody watches."""
