"""Chooses what a week's journals give to MEMORY.md: decisions of no project, and lessons (decisions D25, D43)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from hashlib import blake2b

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.named_notes import project_of
from engine.extraction.rows import IN_DOUBT
from engine.extraction.sentence_kinds import kind_of_line
from engine.lifecycle.condense.journal import journal_path
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.text.safe_text import without_markers
from engine.text.secrets.detector import redact
from engine.workspace.values import LineSpan

DECISIONS, LESSONS = "## Key Decisions", "## Lessons Learned"
_SECTIONS: Mapping[EntryKind | None, str] = {EntryKind.DECISION: DECISIONS, EntryKind.LESSON: LESSONS}
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_DATED = re.compile(r"^\[?\d{4}-\d{2}-\d{2}\]?\s*[:—–-]\s*")


class WeekPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A lasting line of a journal, the section of MEMORY.md that it belongs to, and where it stands."""

    day: date
    section: str
    text: str
    source: LineSpan

    @property
    def id(self) -> str:
        """Ten hexadecimal digits, the same whenever this line is read again."""
        return point_id(self.section, self.text)

    @property
    def row(self) -> str:
        """The entry, with the day of its journal (autopoiesis §2.2)."""
        return f"- {self.day}: {self.text} <!-- c:{self.id} -->"

    @property
    def name(self) -> str:
        """The name by which the account knows it."""
        return f"{self.source.path}:{self.source.start}: {self.text}"


def point_id(section: str, text: str) -> str:
    """The id of a row by its section and its words."""
    said = f"{section}\0{' '.join(text.casefold().split())}"
    return blake2b(said.encode("utf-8", "replace"), digest_size=5).hexdigest()


def week_days(first: date) -> list[date]:
    """The seven days of a week from its first."""
    return [first + timedelta(days=number) for number in range(7)]


def week_points(journals: Mapping[date, str], paths: Sequence[str]) -> Iterator[WeekPoint]:
    """The decisions and lessons of the journals, in order. What is below a known project stays with the project."""
    seen: set[str] = set()
    for day, text in sorted(journals.items()):
        for entry in memory_entries(journal_path(day), text):
            said = _plain(entry.text)
            section = _SECTIONS.get(kind_of_line(said)) if not IN_DOUBT.search(entry.text) else None
            if section is None or (section == DECISIONS and project_of(entry.section, paths)):
                continue
            source = LineSpan(entry.path, entry.start, entry.end)
            point = WeekPoint(day=entry.day or day, section=section, text=without_markers(said), source=source)
            if point.text and point.id not in seen:
                seen.add(point.id)
                yield point


def _plain(text: str) -> str:
    """An entry in one line, without its bullet, date and comments."""
    line = " ".join(_COMMENT.sub(" ", text).split())
    return redact(_DATED.sub("", _BULLET.sub("", line)))
