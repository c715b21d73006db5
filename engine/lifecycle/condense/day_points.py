"""Chooses what a day's journal says: what lasts of each session, as much as the journal of a day has room for."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import msgspec

from engine.extraction.entry import PROMOTED, EntryKind, ExtractedEntry
from engine.extraction.quotes import quote_line
from engine.lifecycle.condense.journal import JournalRow
from engine.lifecycle.condense.session_days import SessionDay
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.prune.memory_reasons import is_held, said_words
from engine.text.document import split_lines
from engine.text.safe_text import without_markers
from engine.text.secrets.detector import redact
from engine.workspace.values import LineSpan

DAY_BYTES = 2_048
"""Bytes of one day's journal: an agent loads today's and yesterday's, about 4 KB (autopoiesis §2.2)."""
_ROWS, _MOST_ROWS = 40, 12
"""Rows that a day is meant to have, and the most that one session gives."""
_ORDER = tuple(EntryKind(kind) for kind in (
    "decision", "lesson", "correction", "preference", "procedure", "person", "fact", "journal",
))  # fmt: skip
"""The order in which a day's journal has the kinds."""


class DayPoint(msgspec.Struct, frozen=True):
    """An entry of a session's day, with its place in the journal."""

    part: SessionDay
    row: JournalRow

    @property
    def name(self) -> str:
        """The name by which the account knows it."""
        return f"{self.part.path}:{self.row.source.start}: {self.row.text}"


class ChosenPoints(msgspec.Struct, frozen=True):
    """The points of a day. `merged` stand already: each with the place that says the same."""

    written: tuple[DayPoint, ...]
    merged: tuple[tuple[DayPoint, str], ...]
    left_out: tuple[DayPoint, ...]


def day_points(parts: Sequence[SessionDay], entries: Sequence[Sequence[ExtractedEntry]]) -> list[list[DayPoint]]:
    """The points of each session of a day, the best first. The more sessions, the fewer of each, and one at least."""
    most = max(1, min(_MOST_ROWS, _ROWS // max(1, len(parts))))
    return [list(_points(part, found, most)) for part, found in zip(parts, entries, strict=True)]


def chosen_points(points: Sequence[Sequence[DayPoint]], path: str, text: str) -> ChosenPoints:
    """Fills the room that the journal's text has left, a point of each session in turn."""
    known = [(said_words(entry.text), f"{path}:{entry.start}") for entry in memory_entries(path, text)]
    room = DAY_BYTES - len(text.encode("utf-8", "surrogatepass"))
    written, merged, left_out = list[DayPoint](), list[tuple[DayPoint, str]](), list[DayPoint]()
    for point in (one for turn in zip_longest(*points) for one in turn if one is not None):
        words = said_words(point.row.text)
        place = next((where for said, where in known if said == words or is_held(words, said)), "")
        size = len(point.row.text.encode("utf-8", "surrogatepass")) + 3
        if place:
            merged.append((point, place))
        elif size > room:
            left_out.append(point)
        else:
            room -= size
            known.append((words, f"{point.row.source.path}:{point.row.source.start}"))
            written.append(point)
    names = {one.name for one in written}
    order = (one for session in points for one in session)
    return ChosenPoints(tuple(one for one in order if one.name in names), tuple(merged), tuple(left_out))


def _points(part: SessionDay, entries: Iterable[ExtractedEntry], most: int) -> Iterator[DayPoint]:
    """The entries that last, each once, in the order of their kinds, and what an agent that used tools did."""
    seen: list[tuple[str, ...]] = []
    lines = [""] * (part.start - 1) + split_lines(part.text)
    for entry in sorted((one for one in entries if _lasts(part, one)), key=lambda one: _ORDER.index(one.kind)):
        line, words = quote_line(lines, entry.turn.line, entry.quote), said_words(entry.quote)
        told = any(words == one or is_held(words, one) for one in seen)
        if line is not None and words and len(seen) < most and not told:
            seen.append(words)
            text = without_markers(redact(" ".join(entry.quote.split())))
            yield DayPoint(part, JournalRow(part.topic, text, LineSpan(part.path, line, line)))


def _lasts(part: SessionDay, entry: ExtractedEntry) -> bool:
    """Tells whether an entry is of this part and stated or confirmed, or what an agent with tools did."""
    done = entry.kind is EntryKind.JOURNAL and entry.turn.line in part.worked
    return part.start <= entry.turn.line <= part.end and (entry.grade in PROMOTED or done)
