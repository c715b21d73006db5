"""Finds which entries of transcripts are new, and which rows a later entry supersedes (decision D45)."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, tzinfo
from typing import NamedTuple

import msgspec

from engine.extraction.addresses import addresses
from engine.extraction.entry import EntryKind, ExtractedEntry, kind_of_id
from engine.extraction.named_notes import project_of
from engine.extraction.relations import AddressBook, Relation
from engine.extraction.rows import (
    BOTH,
    PresentRow,
    PromotedRow,
    SupersededBy,
    entry_row,
    marked_row,
    row_parts,
    unmarked_row,
    verdict,
)

ADDRESSED = frozenset(EntryKind) - {EntryKind.LESSON}
"""Kinds that state a value and can be superseded; a lesson cannot."""


class SaidEntry(msgspec.Struct, frozen=True):
    """An entry to be ordered. `project`: the named one; `source`: its transcript; both may be empty."""

    ident: str
    kind: EntryKind
    quote: str
    day: str
    at: datetime
    project: str
    source: str = ""


class UndecidedPair(msgspec.Struct, frozen=True):
    """Two entries, of which the later one may or may not supersede the earlier."""

    earlier: str
    later: str
    day: str


class Supersessions:
    """Collects entries in the order of time, and finds those that a later one superseded."""

    def __init__(self, verdict: Callable[[str, str], str] = lambda _earlier, _later: "") -> None:
        """`verdict` returns the id of the entry that the operator kept of two, `both`, or nothing."""
        self.superseded: dict[str, SupersededBy] = {}
        self._verdict = verdict
        self._undecided: list[UndecidedPair] = []
        self._last: dict[tuple[EntryKind, str], str] = {}
        self._said: dict[str, SaidEntry] = {}
        self._book = AddressBook()

    @property
    def undecided(self) -> tuple[UndecidedPair, ...]:
        """The pairs for the operator to decide, of entries that both still hold."""
        return tuple(pair for pair in self._undecided if not {pair.earlier, pair.later} & self.superseded.keys())

    def is_said(self, ident: str) -> bool:
        """Tells whether an entry was added before, superseded or not."""
        return ident in self._said

    def is_replaced(self, kind: EntryKind, quote: str) -> bool:
        """Tells whether these words were said before and superseded since."""
        return self._last.get((kind, _folded(quote)), "") in self.superseded

    def take(self, entry: SaidEntry) -> None:
        """Adds the next entry in time; supersedes those at its address with another value."""
        self._said[entry.ident] = entry
        self._last[entry.kind, _folded(entry.quote)] = entry.ident
        if not _has_address(entry):
            return
        for ident, told in list(self._book.related(entry.quote)):
            self._decide(self._said[ident], entry, told)
        if entry.ident not in self.superseded:
            self._book.add(entry.ident, entry.quote)

    def _decide(self, earlier: SaidEntry, later: SaidEntry, told: Relation) -> None:
        kept = self._verdict(earlier.ident, later.ident)
        if kept == earlier.ident:
            self.superseded[later.ident] = SupersededBy(earlier.ident, later.day)
        elif not kept and (told is Relation.LIKELY or _at_once(earlier, later)):
            self._undecided.append(UndecidedPair(earlier.ident, later.ident, later.day))
        elif kept != BOTH:
            self._book.drop(earlier.ident)
            self.superseded[earlier.ident] = SupersededBy(later.ident, later.day)


def _has_address(entry: SaidEntry) -> bool:
    """Tells whether an entry states a value; a journal entry only if it changes one."""
    events = entry.kind is EntryKind.JOURNAL
    return entry.kind in ADDRESSED and any(address.moved or not events for address in addresses(entry.quote))


def _at_once(one: SaidEntry, other: SaidEntry) -> bool:
    """Tells whether two sources say it at the same instant; within one source the order decides."""
    return one.at == other.at and bool(one.source and other.source) and one.source != other.source


def _folded(quote: str) -> str:
    return " ".join(quote.casefold().split())


_KEPT_IN = {
    "knowledge/identity/USER.md": EntryKind.PREFERENCE,
    "knowledge/identity/AGENTS.md": EntryKind.CORRECTION,
    "knowledge/reference/": EntryKind.FACT,
    "knowledge/people/": EntryKind.PERSON,
    "knowledge/procedures/": EntryKind.PROCEDURE,
    "USER.md": EntryKind.PREFERENCE,
    "AGENTS.md": EntryKind.CORRECTION,
    "user_preferences.md": EntryKind.PREFERENCE,
    "feedback_rules.md": EntryKind.CORRECTION,
    "reference_facts.md": EntryKind.FACT,
    "reference_people.md": EntryKind.PERSON,
    "reference_procedures.md": EntryKind.PROCEDURE,
}
"""The kind of an entry by its file, as the id of an entry said again does not tell it (decision D45)."""


class NewEntry(NamedTuple):
    """An entry that is in no file yet, with the transcript's line of its words."""

    entry: ExtractedEntry
    line: int
    day: str


class KnownRows(msgspec.Struct, frozen=True):
    """The entries in memory: present rows, rows that plans wrote, and refused ids."""

    present: Mapping[str, PresentRow]
    promoted: Mapping[str, PromotedRow] = {}
    refused: frozenset[str] = frozenset()
    files: Collection[str] = ()

    def is_out(self, ident: str) -> bool:
        """Tells whether a person removed an entry from memory or refused it."""
        return ident not in self.present and (ident in self.promoted or ident in self.refused)


class Promotion:
    """Compares entries of transcripts with memory, in the order in which they were said."""

    def __init__(
        self, memory: KnownRows, zone: tzinfo, line_of: Callable[[ExtractedEntry], int | None], counts: Counter[str]
    ) -> None:
        self._memory, self._zone, self._line_of, self._counts = memory, zone, line_of, counts
        self._order = Supersessions(self._verdict)
        self._found: dict[str, ExtractedEntry] = {}

    @property
    def superseded(self) -> Mapping[str, SupersededBy]:
        """The entries that a later one superseded, new or in memory, by id."""
        return self._order.superseded

    @property
    def undecided(self) -> tuple[UndecidedPair, ...]:
        """The pairs that the operator decides: perhaps another value at the same address (decision D61)."""
        return self._order.undecided

    def _verdict(self, earlier: str, later: str) -> str:
        rows = [self._memory.present.get(ident) for ident in (earlier, later)]
        parts = [row_parts(row.text) if row is not None else None for row in rows]
        return verdict(parts[0], parts[1], (earlier, later))

    def take(self, entries: Sequence[ExtractedEntry]) -> list[NewEntry]:
        """Adds entries; returns the new ones in their order."""
        told = {ident for entry in entries for ident in (entry.id, _again(entry).id)}
        said = [(row.at, -1, row) for row in self._rows(told)]
        said += [(entry.turn.time, number, self._said(entry)) for number, entry in enumerate(entries)]
        new: list[tuple[int, NewEntry]] = []
        for _, number, one in sorted(said, key=lambda item: item[:2]):
            if number < 0:
                self._order.take(one)
            elif (found := self._new(entries[number])) is not None:
                new.append((number, found))
        return [one for _, one in sorted(new, key=lambda item: item[0])]

    def marks(self) -> Iterator[tuple[PresentRow, str, SupersededBy]]:
        """Yields the rows that get a mark, with their new text; rows that a person edited stay unchanged."""
        for ident, superseded in self._order.superseded.items():
            row = self._memory.present.get(ident)
            parts = row_parts(row.text) if row is not None else None
            if row is None or parts is None or not self._is_own(ident, row):
                continue
            if parts.superseded is None or superseded.since < parts.superseded.since:
                yield row, marked_row(row.text, superseded), superseded

    def _new(self, entry: ExtractedEntry) -> NewEntry | None:
        """Adds an entry of a transcript; returns it if it is in no file yet."""
        if entry.kind in ADDRESSED and self._order.is_replaced(entry.kind, entry.quote):
            entry = _again(entry)
        ident = entry.id
        if self._order.is_said(ident) or self._memory.is_out(ident):
            self._counts["there already"] += 1
            return None
        line = 0 if ident in self._memory.present else self._line_of(entry)
        if line is None:  # not word for word in its turn (D44)
            self._counts["refused: no such words in its turn"] += 1
            return None
        said = self._said(entry)
        self._found[ident] = entry
        self._order.take(said)
        if ident in self._memory.present:
            self._counts["there already"] += 1
            return None
        return NewEntry(entry, line, said.day)

    def _said(self, entry: ExtractedEntry) -> SaidEntry:
        day, turn = entry.turn.day(self._zone).isoformat(), entry.turn
        project = project_of(entry.quote, self._memory.files)
        return SaidEntry(entry.id, entry.kind, entry.quote, day, turn.time, project, turn.source)

    def _rows(self, told: Collection[str]) -> Iterable[SaidEntry]:
        """Yields the rows of sessions that are not read now; they have a day but no time."""
        for ident, row in self._memory.present.items():
            parts = row_parts(row.text)
            if ident in told or parts is None or not self._is_own(ident, row):
                continue
            try:
                at = datetime.combine(date.fromisoformat(parts.day), time(), self._zone)
            except ValueError:
                continue
            kind = kind_of_row(row.path, ident, parts.quote)
            yield SaidEntry(ident, kind, parts.quote, parts.day, at, project_of(parts.quote, self._memory.files))

    def _is_own(self, ident: str, row: PresentRow) -> bool:
        """Tells whether a row is exactly as a plan wrote it or would write it."""
        if ident in self._memory.promoted:
            return self._memory.promoted[ident].row == row.text
        if (entry := self._found.get(ident)) is None:
            return False
        return unmarked_row(row.text) == entry_row(self._said(entry).day, entry.quote, ident)


def kind_of_row(path: str, ident: str, quote: str) -> EntryKind:
    """Returns the kind of a row's entry, by its file and its id."""
    return next((kind for place, kind in _KEPT_IN.items() if path.startswith(place)), None) or kind_of_id(ident, quote)


def _again(entry: ExtractedEntry) -> ExtractedEntry:
    return msgspec.structs.replace(entry, again=True)
