"""Picks what the agent learnt within a span of time, by the judge, from sessions and notes (decision D59)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import zip_longest

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.rows import IN_DOUBT
from engine.models.labels import comes_off, key_role
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import redact
from engine.workspace.layout import TIER_FOLDERS, is_raw_log
from engine.workspace.values import FileFacts, MemoryTier

MOST_NOTES = 60  # notes that are read, the newest; a busier week is told by them
MOST_QUOTES = 12  # sentences that tell what was learnt in the span
_OWN = (f"{TIER_FOLDERS[MemoryTier.WORKING]}/", "DailyLogs/", "knowledge/journal/")
LEAST_WORDS, LONGEST = 4, 400
"""Least words and most characters of a quote."""
_ORDER = tuple(EntryKind(kind) for kind in (
    "lesson", "correction", "decision", "preference", "procedure", "person", "fact", "journal",
))  # fmt: skip
"""The order of a day's quotes: a lesson says most about what was learnt, an event least."""
KindsOfLines = Callable[[Sequence[str]], Mapping[int, EntryKind]]
"""Returns the kind of each lasting line of a note, by index from 0."""


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """Words in lines `line` to `end` of a file, and their kind by the judge."""

    text: str
    kind: EntryKind
    path: str
    line: int
    end: int
    day: date


class DatedNote(msgspec.Struct, frozen=True):
    """A note of the span: path, day and text."""

    path: str
    day: date
    text: str


def notes_between(files: Iterable[FileFacts], since: date, until: date) -> list[FileFacts]:
    """Returns the agent's own notes of these days, newest first: raw logs, journals, working notes."""
    own = (facts for facts in files if is_raw_log(facts.path) or facts.path.startswith(_OWN))
    dated = [facts for facts in own if since <= facts.date.day <= until and not facts.date.low_confidence]
    return sorted(dated, key=lambda facts: (-facts.date.day.toordinal(), facts.path))


def quoted(note: DatedNote, kinds: KindsOfLines) -> Iterator[Quote]:
    """Yields the lasting lines of a note, without bullets."""
    lines = note.text.splitlines()
    head = read_frontmatter(note.text.encode()).body_line - 1
    code = list(code_mask(lines))
    for at, kind in kinds([*[""] * head, *lines[head:]]).items():
        said = lines[at].strip().lstrip("-*+• ")
        key, colon, value = said.partition(": ")
        if colon and comes_off(key):
            # `outcome: done in a day` is no decision, and says as much without its key.
            kind, said = (EntryKind.JOURNAL if key_role(key) == "outcome" else kind), value.strip()
        if not code[at] and heading_of(lines[at]) is None and not IN_DOUBT.search(lines[at]):
            yield Quote(text=said, kind=kind, path=note.path, line=at + 1, end=at + 1, day=note.day)


def best(quotes: Iterable[Quote], most: int = MOST_QUOTES) -> tuple[Quote, ...]:
    """Returns the best quotes: each day's best first, events last, without repeats and secrets."""
    days: dict[date, list[Quote]] = {}
    for quote in quotes:
        if _says_something(quote.text) and redact(quote.text) == quote.text:
            days.setdefault(quote.day, []).append(quote)
    latest_first = (days[day] for day in sorted(days, reverse=True))
    ranked = [sorted(of_day, key=lambda quote: _ORDER.index(quote.kind)) for of_day in latest_first]
    turns = [quote for turn in zip_longest(*ranked) for quote in turn if quote is not None]
    found: dict[str, Quote] = {}
    for quote in sorted(turns, key=lambda quote: quote.kind is EntryKind.JOURNAL):
        found.setdefault(quote.text.casefold(), quote)
    return tuple(found.values())[:most]


def _says_something(text: str) -> bool:
    """Tells whether a sentence is clear alone, unlike short headings and fields. Han text has no spaces."""
    return len(text) <= LONGEST and (len(text.split()) >= LEAST_WORDS or (not text.isascii() and len(text) >= 8))
