"""Writes and reads the source of an entry in at most eight tokens (A15, A29). `<!--260304:19-24-->` means lines 19 to
24 of the episodic file of 2026-03-04, in its folder or the archive; if there are several, the entry's words decide. An
entry of an undated file names its path."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from engine.compactor.semantic.entry import SemanticEntry
from engine.errors import MemdeckError
from engine.text.document import Document
from engine.text.words import stems_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import DateSource, FileFacts, LineSpan, MemoryTier

_LONG = re.compile(r"from (\S+):(\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*)")
_SHORT = re.compile(r"(\d\d)(\d\d)(\d\d):(\d{1,9})(?:-(\d{1,9}))?")
_CENTURY = 2000
_WORD = re.compile(r"\w+")
_OWN_DATES = (DateSource.FRONTMATTER, DateSource.NAME)


def is_dated(facts: FileFacts) -> bool:
    """Tells whether a file states its date itself, so that the date finds it in the archive or a clone."""
    return facts.date.source in _OWN_DATES and _CENTURY <= facts.date.day.year < _CENTURY + 100


def stated_provenance(path: str, day: date | None, lines: Sequence[tuple[int, int]]) -> str:
    """Returns a date and the range of the given lines; without a date the path and every line range."""
    if day is None:
        return f"from {path}:{','.join(f'{start}-{end}' for start, end in lines)}"
    first, last = min(start for start, _ in lines), max(end for _, end in lines)
    return f"{day:%y%m%d}:{first}" + (f"-{last}" if last > first else "")


def named_day(entry: SemanticEntry) -> date | None:
    """Returns the date by which an entry names its file; None if it names a path or nothing."""
    found = _SHORT.fullmatch(entry.provenance)
    try:
        return date(_CENTURY + int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None


def entry_sources(entry: SemanticEntry, snapshot: Snapshot) -> tuple[LineSpan, ...]:
    """Returns the source lines that an entry names, in the file found by its path or by date and words."""
    long, short, day = _LONG.match(entry.provenance), _SHORT.fullmatch(entry.provenance), named_day(entry)
    if long is not None:
        parts = (part.partition("-")[::2] for part in long[2].split(","))
        return tuple(LineSpan(long[1], int(first), max(int(first), int(last or first))) for first, last in parts)
    if short is None or day is None:
        return ()
    first, last = int(short[4]), int(short[5] or short[4])
    path = _file_of(entry, day, first, last, snapshot)
    return (LineSpan(path, first, max(first, last)),) if path else ()


def _file_of(entry: SemanticEntry, day: date, first: int, last: int, snapshot: Snapshot) -> str:
    """Returns the episodic file of a day whose lines share most words with the entry; empty if none."""
    words = _stems(entry.insight)
    likely = [(_shared(words, facts, first, last, snapshot), facts.path) for facts in _of_day(day, snapshot)]
    share, path = max(likely, key=lambda pair: pair[0], default=(0.0, ""))
    compiled = [path for _, path in likely if "archived-as" in snapshot.files[path].frontmatter]
    # Words that the operator changed tell nothing: then it is the one file that was compiled from that day's note.
    return path if share > 0 or len(likely) == 1 else (compiled or [""])[0]


def _of_day(day: date, snapshot: Snapshot) -> Iterator[FileFacts]:
    for tier in (MemoryTier.EPISODIC, MemoryTier.ARCHIVE):
        yield from (facts for facts in snapshot.tier(tier) if facts.date.day == day and is_dated(facts))


def _shared(words: frozenset[str], facts: FileFacts, first: int, last: int, snapshot: Snapshot) -> float:
    try:
        lines = Document.from_bytes(snapshot.content(facts.path)).lines[first - 1 : last]
    except MemdeckError:
        return 0.0
    return len(words & _stems(" ".join(lines))) / max(1, len(words))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for word in _WORD.findall(text.casefold()) for stem in stems_of(word))
