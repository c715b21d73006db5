"""Picks what the agent learnt within a stretch of time: sentences of its own notes, word for word."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import zip_longest

import msgspec

from engine.models.summary import NoteToSummarise, Point, Summariser, Summary
from engine.text.frontmatter import read_frontmatter
from engine.text.secrets.detector import redact
from engine.workspace.layout import TIER_FOLDERS, is_raw_log
from engine.workspace.values import FileFacts, MemoryTier

MOST_NOTES = 60  # notes that are read, the newest; a busier week is told by them
MOST_QUOTES = 12  # sentences that tell what was learnt in the span
_OWN = (f"{TIER_FOLDERS[MemoryTier.WORKING]}/", "DailyLogs/", "knowledge/journal/")
LEAST_WORDS, LONGEST = 4, 400
"""Words of a quote at least, and its characters at most; a longer sentence is left to its note."""


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that stands word for word in lines `line` to `end` of a note, and what it is."""

    text: str
    kind: str  # `insight`, `decision`, `fact` or `event`
    path: str
    line: int
    end: int
    day: date


class DatedNote(msgspec.Struct, frozen=True):
    """A note of the stretch: its path, its day and its text as on disk."""

    path: str
    day: date
    text: str


def notes_between(files: Iterable[FileFacts], since: date, until: date) -> list[FileFacts]:
    """The raw logs, journals and working notes of these days, newest first: what the agent wrote itself."""
    own = (facts for facts in files if is_raw_log(facts.path) or facts.path.startswith(_OWN))
    dated = [facts for facts in own if since <= facts.date.day <= until and not facts.date.low_confidence]
    return sorted(dated, key=lambda facts: (-facts.date.day.toordinal(), facts.path))


def quotes(notes: Sequence[DatedNote], summariser: Summariser, most: int = MOST_QUOTES) -> tuple[Quote, ...]:
    """The best sentences of the notes, a day's best before another day's second; each said once."""
    asked = [_asked(note) for note in notes]
    summaries = summariser.summarise(asked, lambda _done, _total: None) if asked else []
    days: dict[date, list[Quote]] = {}
    for note, summary in zip(notes, summaries, strict=True):
        days.setdefault(note.day, []).extend(_quotes(note, summary))
    ranked = [sorted(found, key=lambda quote: _RANKS[quote.kind]) for _, found in sorted(days.items(), reverse=True)]
    said = [[quote for quote in own if quote.kind != _EVENT] for own in ranked]
    rest = [[quote for quote in own if quote.kind == _EVENT] for own in ranked]
    found: dict[str, Quote] = {}
    for quote in (*_in_turn(said), *_in_turn(rest)):
        found.setdefault(quote.text.casefold(), quote)
    return tuple(found.values())[:most]


def _in_turn(days: Sequence[Sequence[Quote]]) -> Iterator[Quote]:
    return (quote for turn in zip_longest(*days) for quote in turn if quote is not None)


def _asked(note: DatedNote) -> NoteToSummarise:
    data = note.text.encode()
    end = read_frontmatter(data).end
    return NoteToSummarise(note.path, data[end:].decode(), 1 + data[:end].count(b"\n"))


_EVENT = "event"
_RANKS = {"insight": 0, "decision": 1, "fact": 2, _EVENT: 3}
"""The order of a day's sentences: an insight says most about what was learnt, an event least."""


def _quotes(note: DatedNote, summary: Summary) -> Iterator[Quote]:
    lines = note.text.splitlines()
    for kind, points in zip(_RANKS, (summary.insights, summary.decisions, summary.facts, summary.events), strict=True):
        for point in points:
            if _says_something(point.text) and _stands_in(point, lines) and redact(point.text) == point.text:
                yield Quote(text=point.text, kind=kind, path=note.path, line=point.start, end=point.end, day=note.day)


def _says_something(text: str) -> bool:
    """Tells whether a sentence can be read alone: headings and fields of one word cannot. Han text has no spaces."""
    return len(text) <= LONGEST and (len(text.split()) >= LEAST_WORDS or (not text.isascii() and len(text) >= 8))


def _stands_in(point: Point, lines: Sequence[str]) -> bool:
    """Tells whether the sentence occurs in its lines, however they are broken: a quote that does not is none."""
    said = " ".join(" ".join(lines[point.start - 1 : point.end]).split())
    return " ".join(point.text.split()) in said
