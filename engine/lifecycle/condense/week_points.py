"""Chooses what a week's journals give to MEMORY.md: decisions of no project, and lessons (decisions D25, D43)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from hashlib import blake2b

import msgspec

from engine.extraction.named_notes import project_of
from engine.lifecycle.condense.journal import journal_path
from engine.lifecycle.prune.memory_entries import MemoryEntry, memory_entries
from engine.models.summary import NoteToSummarise, Point, Summary
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import heading_of
from engine.text.safe_text import without_markers
from engine.text.secrets.detector import redact
from engine.workspace.values import LineSpan

DECISIONS, LESSONS = "## Key Decisions", "## Lessons Learned"
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_SUPERSEDED = re.compile(r"\(superseded: ")
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
        said = f"{self.section}\0{' '.join(self.text.casefold().split())}"
        return blake2b(said.encode("utf-8", "replace"), digest_size=5).hexdigest()

    @property
    def row(self) -> str:
        """The entry, with the day of its journal (autopoiesis §2.2)."""
        return f"- {self.day}: {self.text} <!-- c:{self.id} -->"

    @property
    def name(self) -> str:
        """The name by which the account knows it."""
        return f"{self.source.path}:{self.source.start}: {self.text}"


def week_days(first: date) -> list[date]:
    """The seven days of a week from its first."""
    return [first + timedelta(days=number) for number in range(7)]


def journal_notes(journals: Mapping[date, str]) -> list[NoteToSummarise]:
    """The journals as a summariser takes them, without their heads and the ids of entries."""
    return [_note(day, text) for day, text in sorted(journals.items())]


def week_points(
    journals: Mapping[date, str], summaries: Sequence[Summary], paths: Sequence[str]
) -> Iterator[WeekPoint]:
    """The lasting lines of the journals, in order. What is below a known project stays with the project."""
    seen: set[str] = set()
    for (day, text), summary in zip(sorted(journals.items()), summaries, strict=True):
        entries = memory_entries(journal_path(day), text)
        for section, points in ((DECISIONS, summary.decisions), (LESSONS, summary.insights)):
            for point in points:
                entry = next((one for one in entries if one.start <= point.start <= one.end), None)
                if (
                    entry is None
                    or _SUPERSEDED.search(entry.text)
                    or (section == DECISIONS and project_of(entry.section, paths))
                ):
                    continue
                found = _week_point(day, section, entry, point)
                if found.text and found.id not in seen:
                    seen.add(found.id)
                    yield found


def _week_point(day: date, section: str, entry: MemoryEntry, point: Point) -> WeekPoint:
    """The entry as the journal has it where the sentence stands in it word for word, else the sentence."""
    own, said = _plain(entry.text), _plain(point.text)
    text = own if said in own else said
    source = LineSpan(entry.path, entry.start, entry.end)
    return WeekPoint(day=entry.day or day, section=section, text=without_markers(text), source=source)


def _plain(text: str) -> str:
    """An entry in one line, without its bullet, date and comments."""
    line = " ".join(_COMMENT.sub(" ", text).split())
    return redact(_DATED.sub("", _BULLET.sub("", line)))


def _note(day: date, text: str) -> NoteToSummarise:
    first = read_frontmatter(text.encode("utf-8", "surrogatepass")).body_line
    lines = text.split("\n")[first - 1 :]
    body = ["" if heading_of(line) is not None else _COMMENT.sub("", line) for line in lines]
    return NoteToSummarise(journal_path(day), "\n".join(body), first)
