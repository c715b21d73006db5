"""Answers what held on a day, from the entries of memory and the turns behind them (decisions D44, D45)."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from enum import StrEnum

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.rows import PresentRow, PromotedRow, SupersededBy, entry_row, row_parts
from engine.extraction.superseded import kind_of_row
from engine.text.secrets.detector import redact
from engine.text.transcript_marks import unescaped
from engine.workspace.dates import transcript_day
from engine.workspace.values import LineSpan

_LEAST = ("0001-01-01", "0" * 10)  # a day and an id that stand for any: only the words of the row are compared


class RowState(StrEnum):
    """The state of an entry's row, compared with what an applied plan wrote."""

    KEPT = "kept"
    EDITED = "edited"
    GONE = "gone"
    UNKNOWN = "unknown"


class HeldEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that held. `source`: its transcript line; `proven`: that has its words; `line`: 0 if the row is gone."""

    id: str
    kind: EntryKind
    day: str
    text: str
    path: str
    line: int
    state: RowState
    source: LineSpan | None
    proven: bool
    superseded: SupersededBy | None


class HeldReach(msgspec.Struct, frozen=True):
    """The first days of entries and transcripts; None if there are none."""

    entries_since: str | None
    entries: int
    transcripts_since: str | None
    transcripts: int


class HeldAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The entries that held at the end of a day, by kind and day, and how far back the answer reaches."""

    on: str
    subject: str
    entries: tuple[HeldEntry, ...]
    reach: HeldReach


class EntryRecords(msgspec.Struct, frozen=True):
    """The present rows, the rows that applied plans wrote, and the paths of closed transcripts."""

    present: Mapping[str, PresentRow]
    promoted: Mapping[str, PromotedRow]
    transcripts: tuple[str, ...]


def held_on(day: date, subject: str, records: EntryRecords, lines: Callable[[str], list[str]]) -> HeldAnswer:
    """Finds what held at the end of a day; journal entries are events and never hold. `subject`: words that an entry
    must have, empty for all. `lines` reads a transcript; no lines if it is missing."""
    known = [entry for entry in known_entries(records, lines) if entry.kind is not EntryKind.JOURNAL]
    on, words = day.isoformat(), folded(subject).split()
    held = (entry for entry in known if entry.day <= on and (entry.superseded is None or entry.superseded.since > on))
    found = [entry for entry in held if all(word in folded(entry.text) for word in words)]
    order = list(EntryKind)
    return HeldAnswer(
        on=on,
        subject=redact(subject),
        entries=tuple(sorted(found, key=lambda one: (order.index(one.kind), one.day, one.path, one.line, one.id))),
        reach=reach_of(known, records.transcripts),
    )


def known_entries(records: EntryRecords, lines: Callable[[str], list[str]]) -> Iterator[HeldEntry]:
    """Yields every entry in a note or in an applied plan, superseded or not."""
    for ident in dict.fromkeys((*records.present, *records.promoted)):
        row, promoted = records.present.get(ident), records.promoted.get(ident)
        if (entry := _entry(ident, row, promoted, lines)) is not None:
            yield entry


def _entry(
    ident: str, row: PresentRow | None, promoted: PromotedRow | None, lines: Callable[[str], list[str]]
) -> HeldEntry | None:
    """Returns an entry by its row; day and mark come from the approved plan, if one wrote it."""
    written = row_parts(promoted.row) if promoted is not None else None
    stands = row_parts(row.text) if row is not None else None
    if (parts := written or stands) is None:
        return None
    path = row.path if row is not None else ""
    return HeldEntry(
        id=ident,
        kind=kind_of_row(path, ident, parts.quote),
        day=parts.day,
        text=redact((stands or parts).quote),
        path=path,
        line=row.line if row is not None else 0,
        state=_state(row, promoted),
        source=LineSpan(promoted.transcript, promoted.line, promoted.line) if promoted and promoted.line else None,
        proven=promoted is not None and _says(lines, promoted, parts.quote),
        superseded=parts.superseded,
    )


def _state(row: PresentRow | None, promoted: PromotedRow | None) -> RowState:
    if row is None:
        return RowState.GONE
    if promoted is None:
        return RowState.UNKNOWN
    return RowState.KEPT if row.text == promoted.row else RowState.EDITED


def _says(lines: Callable[[str], list[str]], promoted: PromotedRow, quote: str) -> bool:
    """Tells whether the transcript's line has the words of the row."""
    told = lines(promoted.transcript) if promoted.line else []
    if not told or len(told) < promoted.line:
        return False
    said = row_parts(entry_row(_LEAST[0], unescaped(told[promoted.line - 1]), _LEAST[1]))
    return said is not None and quote in said.quote


def reach_of(known: Iterable[HeldEntry], transcripts: tuple[str, ...]) -> HeldReach:
    """Returns the first days of these entries and transcripts."""
    days = [entry.day for entry in known]
    told = [str(day) for path in transcripts if (day := transcript_day(path)) is not None]
    return HeldReach(min(days, default=None), len(days), min(told, default=None), len(transcripts))


def folded(text: str) -> str:
    """Returns text in the form for comparing: composed characters, no case."""
    return unicodedata.normalize("NFC", text).casefold()
