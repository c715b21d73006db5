"""Picks what the agent learnt within a stretch of time, as the judge hears it in sessions and notes (decision D59)."""

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
"""Words of a quote at least, and its characters at most; a longer sentence is left to its note."""
_ORDER = tuple(EntryKind(kind) for kind in (
    "lesson", "correction", "decision", "preference", "procedure", "person", "fact", "journal",
))  # fmt: skip
"""The order of a day's quotes: a lesson says most about what was learnt, an event least."""
KindsOfLines = Callable[[Sequence[str]], Mapping[int, EntryKind]]
"""Tells the kinds of a note's lines, from 0, that say something lasting."""


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """Words that stand word for word in lines `line` to `end` of a file, and the kind that the judge gives them."""

    text: str
    kind: EntryKind
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
    """Gives the raw logs, journals and working notes of these days, newest first: what the agent wrote itself."""
    own = (facts for facts in files if is_raw_log(facts.path) or facts.path.startswith(_OWN))
    dated = [facts for facts in own if since <= facts.date.day <= until and not facts.date.low_confidence]
    return sorted(dated, key=lambda facts: (-facts.date.day.toordinal(), facts.path))


def quoted(note: DatedNote, kinds: KindsOfLines) -> Iterator[Quote]:
    """Yields the lines of a note that say something lasting, without their bullets."""
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
    """Gives the best of these, a day's best before another day's second, events last; each said once, and no secret."""
    days: dict[date, list[Quote]] = {}
    for quote in quotes:
        if _says_something(quote.text) and redact(quote.text) == quote.text:
            days.setdefault(quote.day, []).append(quote)
    latest_first = (days[day] for day in sorted(days, reverse=True))
    ranked = [sorted(of_day, key=lambda one: _ORDER.index(one.kind)) for of_day in latest_first]
    turns = [quote for turn in zip_longest(*ranked) for quote in turn if quote is not None]
    found: dict[str, Quote] = {}
    for quote in sorted(turns, key=lambda one: one.kind is EntryKind.JOURNAL):
        found.setdefault(quote.text.casefold(), quote)
    return tuple(found.values())[:most]


def _says_something(text: str) -> bool:
    """Tells whether a sentence can be read alone: headings and fields of one word cannot. Han text has no spaces."""
    return len(text) <= LONGEST and (len(text.split()) >= LEAST_WORDS or (not text.isascii() and len(text) >= 8))
