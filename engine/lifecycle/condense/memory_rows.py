"""Chooses what a week's journals add to MEMORY.md: decisions without a project, and lessons (D25, D43). Nothing is
added twice, a later value replaces a row of memdeck (D61), and the file stays below its cap (D23)."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from hashlib import blake2b

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.named_notes import project_of
from engine.extraction.relations import AddressBook, Relation
from engine.extraction.rows import IN_DOUBT
from engine.extraction.sentence_kinds import kind_of_line
from engine.lifecycle.condense.journal import journal_path
from engine.lifecycle.extract.destinations import SectionRow, with_rows
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.prune.memory_file import line_total, with_line_count
from engine.lifecycle.prune.memory_reasons import is_held, said_words
from engine.plans.plan import LineOrigin
from engine.text.safe_text import without_markers
from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_CAP
from engine.workspace.values import LineSpan

DECISIONS, LESSONS = "## Key Decisions", "## Lessons Learned"
_SECTIONS: Mapping[EntryKind | None, str] = {EntryKind.DECISION: DECISIONS, EntryKind.LESSON: LESSONS}
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_DATED = re.compile(r"^\[?\d{4}-\d{2}-\d{2}\]?\s*[:—–-]\s*")


class WeekPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A lasting line of a journal, its section of MEMORY.md, and its place."""

    day: date
    section: str
    text: str
    source: LineSpan

    @property
    def id(self) -> str:
        """Ten hexadecimal digits, the same for the same section and words."""
        return point_id(self.section, self.text)

    @property
    def row(self) -> str:
        """The row of MEMORY.md, with the day of its journal (autopoiesis §2.2)."""
        return f"- {self.day}: {self.text} <!-- c:{self.id} -->"

    @property
    def name(self) -> str:
        """Its name in the account."""
        return f"{self.source.path}:{self.source.start}: {self.text}"


def point_id(section: str, text: str) -> str:
    """Gives the id of a row from its section and words."""
    said = f"{section}\0{' '.join(text.casefold().split())}"
    return blake2b(said.encode("utf-8", "replace"), digest_size=5).hexdigest()


def week_days(first: date) -> list[date]:
    """Gives the seven days of a week from its first."""
    return [first + timedelta(days=number) for number in range(7)]


def week_points(journals: Mapping[date, str], paths: Sequence[str]) -> Iterator[WeekPoint]:
    """Yields the decisions and lessons of the journals, in order, without those of a known project."""
    seen: set[str] = set()
    for day, text in sorted(journals.items()):
        for entry in memory_entries(journal_path(day), text):
            said = redact(_DATED.sub("", _BULLET.sub("", " ".join(_COMMENT.sub(" ", entry.text).split()))))
            section = _SECTIONS.get(kind_of_line(said)) if not IN_DOUBT.search(entry.text) else None
            if section is None or (section == DECISIONS and project_of(entry.section, paths)):
                continue
            source = LineSpan(entry.path, entry.start, entry.end)
            point = WeekPoint(day=entry.day or day, section=section, text=without_markers(said), source=source)
            if point.text and point.id not in seen:
                seen.add(point.id)
                yield point


_ID = re.compile(r"<!-- c:([0-9a-f]{10}) -->")
_ROW = re.compile(r"(?m)^- (?P<day>\d{4}-\d\d-\d\d): (?P<text>.+) <!-- c:(?P<id>[0-9a-f]{10}) -->$")
_ORDER = (DECISIONS, LESSONS)
_TAKEN_OUT = "it stood in MEMORY.md, and a person took it out"


class MemoryEdit(msgspec.Struct, frozen=True, kw_only=True):
    """MEMORY.md after the edit. `before` names its entries, `stands` those it still has; `origins` has the sources
    of added rows; `merged` tells what says the same; `replaced` are old lines."""

    text: str
    origins: tuple[LineOrigin, ...]
    points: tuple[WeekPoint, ...]
    added: tuple[WeekPoint, ...]
    merged: tuple[tuple[WeekPoint, str], ...]
    left_out: tuple[WeekPoint, ...]
    before: frozenset[str]
    stands: frozenset[str]
    replaced: frozenset[str]


def memory_edit(path: str, text: str, points: Sequence[WeekPoint], known: Collection[str]) -> MemoryEdit:
    """Adds the new points, each at the end of its section; every other line stays."""
    said = [(said_words(entry.text), f"stands in {path}:{entry.start}") for entry in memory_entries(path, text)]
    there, values, over = frozenset(_ID.findall(text)), _Values(text), set[str]()
    added, merged, left_out = list[WeekPoint](), list[tuple[WeekPoint, str]](), list[WeekPoint]()
    for point in points:
        words = said_words(point.text)
        where = next((at for other, at in said if other == words or is_held(words, other)), "")
        where = where or (f"its id stands in {path}" if point.id in there else "")
        earlier, where = ([], where) if where else values.before(point)
        # A value that comes back was not taken out by a person: the one between took its place.
        where = where or (_TAKEN_OUT if point.id in known and not earlier else "")
        rest = [one for one in added if one.row not in earlier]
        if where:
            merged.append((point, where))
        elif line_total(_with_rows(_without(text, over | {*earlier}), [*rest, point])[0]) > MEMORY_MD_CAP:
            left_out.append(point)
        else:
            merged += [(one, f"another value since {point.day}") for one in added if one.row in earlier]
            added, over = [*rest, point], over | {*earlier}
            values.add(point.row, point.text, point.day)
            said.append((words, f"said also on {point.day}"))
    new, origins = _with_rows(_without(text, over), added)
    new = with_line_count(new) if added else text
    return MemoryEdit(
        text=new,
        origins=origins,
        points=tuple(points),
        added=tuple(added),
        merged=tuple(merged),
        left_out=tuple(left_out),
        before=frozenset(_names(path, text)),
        stands=frozenset(_names(path, text)) & frozenset(_names(path, new)),
        replaced=frozenset(over) & frozenset(text.split("\n")),
    )


class _Values:
    """The rows that condensations wrote, by the addresses of their statements (decision D61)."""

    def __init__(self, text: str) -> None:
        self._book, self._days = AddressBook(), dict[str, date]()
        for row in _ROW.finditer(text):
            if row["id"] == point_id(DECISIONS, row["text"]):  # what a person edited stays as it is
                self.add(row[0], row["text"], date.fromisoformat(row["day"]))

    def add(self, row: str, text: str, day: date) -> None:
        self._book.add(row, text)
        self._days[row] = day

    def before(self, point: WeekPoint) -> tuple[list[str], str]:
        """Gives the rows that a decision replaces, or the day of a later one that replaced it."""
        related = self._book.related(point.text) if point.section == DECISIONS else ()
        rows = [row for row, told in related if told is Relation.REPLACES]
        later = max((self._days[row] for row in rows), default=point.day)
        return (rows, "") if later <= point.day else ([], f"another value since {later}")


def _without(text: str, rows: Collection[str]) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.rstrip("\r\n") not in rows)


def _with_rows(text: str, points: Sequence[WeekPoint]) -> tuple[str, tuple[LineOrigin, ...]]:
    rows = [SectionRow(point.section, point.row, point.source) for point in points]
    return with_rows(text, sorted(rows, key=lambda row: _ORDER.index(row.section)))


def _names(path: str, text: str) -> list[str]:
    """Names the entries by their words, so that a moved entry keeps its name."""
    return [f"{path}: {entry.text}" for entry in memory_entries(path, text)]
