"""Finds the outcome of every entry in a consolidation: kept, moved, merged or lost (decision D25)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import count

import msgspec

from engine.lifecycle.folders.entry_account import EntryWordIndex, entries_of, junk, plain
from engine.lifecycle.prune.memory_entries import MemoryEntry

_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+")
_JUNK = re.compile(r"line (\d+) looks like junk: (.+)", re.DOTALL)


class EntryFate(StrEnum):
    """The outcome of an entry; NEW is an entry that no note had before."""

    KEPT = "kept"  # word for word in its note
    MOVED = "moved"  # word for word in another note
    MERGED = "merged"  # one entry has most of its words, and all its numbers
    LOST = "lost"  # in none of the notes
    NEW = "new"


class EntryRow(msgspec.Struct, frozen=True, kw_only=True):
    """An entry with its outcome, and the entry that has it now. `number` counts those that can be reverted."""

    number: int
    fate: EntryFate
    entry: MemoryEntry
    into: MemoryEntry | None = None
    junk: str = ""


class ConsolidationAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of every old entry, one row each, and the new entries, in the order of notes."""

    rows: tuple[EntryRow, ...]

    def count(self, fate: EntryFate) -> int:
        return sum(row.fate is fate for row in self.rows)

    @property
    def before(self) -> int:
        """The number of old entries."""
        return len(self.rows) - self.count(EntryFate.NEW)

    @property
    def loss(self) -> float:
        """The share of old entries that are lost, 0 to 1."""
        return self.count(EntryFate.LOST) / max(1, self.before)

    @property
    def junk(self) -> tuple[EntryRow, ...]:
        """The new entries that look like no memory."""
        return tuple(row for row in self.rows if row.junk)

    @property
    def changed(self) -> tuple[EntryRow, ...]:
        """The rows that can be reverted, in the order of their numbers."""
        return tuple(row for row in self.rows if row.number)

    def line(self) -> str:
        """Gives the account in words: `21 entries = 12 kept + 1 moved + 3 merged + 5 lost`, new and junk ones."""
        parts = [f"{self.count(fate):,} {fate.value}" for fate in EntryFate if fate is not EntryFate.NEW]
        new, flagged = self.count(EntryFate.NEW), len(self.junk)
        more = f"; {new:,} new" if new else ""
        return f"{self.before:,} entries = {' + '.join(parts)}{more}{f', {flagged:,} like junk' if flagged else ''}"

    def facts(self) -> dict[str, int]:
        counts = {fate.value: self.count(fate) for fate in EntryFate}
        return {"entries": self.before, **counts, "junk": len(self.junk)}


def consolidation_account(before: Mapping[str, str], after: Mapping[str, str]) -> ConsolidationAccount:
    """Accounts for the notes' entries. Each new entry explains one old entry; a second copy is merged into it."""
    old, new = entries_of(before), entries_of(after)
    matched = _Matching(old, new)
    told = ((path, _JUNK.fullmatch(row)) for path, rows in junk(after, old).items() for row in rows)
    reasons = {(path, int(parts[1])): parts[2] for path, parts in told if parts}
    rows = [EntryRow(number=0, fate=fate, entry=entry, into=into) for entry, fate, into in matched.found()]
    rows += [
        EntryRow(number=0, fate=EntryFate.NEW, entry=entry, junk=reasons.get((entry.path, entry.start), ""))
        for entry in matched.left()
    ]
    return ConsolidationAccount(rows=tuple(_numbered(rows)))


def _numbered(rows: Iterable[EntryRow]) -> Iterable[EntryRow]:
    # Numbers follow this order, by which entries are named on screen and in commands.
    numbers = count(1)
    for row in sorted(rows, key=lambda row: (row.entry.path, row.fate is EntryFate.NEW, row.entry.start)):
        yield row if row.fate is EntryFate.KEPT else msgspec.structs.replace(row, number=next(numbers))


class _Matching:
    """Finds the outcome of every old entry: first those that stay, then those that moved, then the rest."""

    def __init__(self, old: Sequence[MemoryEntry], new: Sequence[MemoryEntry]) -> None:
        self._old, self._new = old, new
        self._free: dict[str, list[int]] = defaultdict(list)
        """The new entries by their words and signs, until each explains an old one."""
        self._first: dict[str, int] = {}
        for place, entry in enumerate(new):
            self._free[exact(entry)].append(place)
            self._first.setdefault(exact(entry), place)
        self._used: set[int] = set()
        # Reversed, so that of equal ones the first stays.
        self._held = {plain(entry): place for place, entry in reversed(list(enumerate(new))) if plain(entry)}
        self._words = EntryWordIndex(new)

    def found(self) -> list[tuple[MemoryEntry, EntryFate, MemoryEntry | None]]:
        answers: dict[int, tuple[EntryFate, int | None]] = {}
        for fate in (EntryFate.KEPT, EntryFate.MOVED):
            for number, entry in enumerate(self._old):
                place = None if number in answers else self._take(entry, same_note=fate is EntryFate.KEPT)
                if place is not None:
                    answers[number] = (fate, place)
        for number, entry in enumerate(self._old):
            if number not in answers:
                place = self._holder(entry)
                answers[number] = (EntryFate.LOST if place is None else EntryFate.MERGED, place)
        told = ((entry, *answers[number]) for number, entry in enumerate(self._old))
        return [(entry, fate, None if place is None else self._new[place]) for entry, fate, place in told]

    def left(self) -> list[MemoryEntry]:
        """Gives the new entries that equal no old one."""
        return [entry for place, entry in enumerate(self._new) if place not in self._used]

    def _take(self, entry: MemoryEntry, *, same_note: bool) -> int | None:
        places = self._free.get(exact(entry), [])
        place = next((at for at in places if (self._new[at].path == entry.path) is same_note), None)
        if place is not None:
            # Each answers for one: a second copy of an entry is merged, and not kept.
            places.remove(place)
            self._used.add(place)
        return place

    def _holder(self, entry: MemoryEntry) -> int | None:
        """Gives the position of the new entry with the same words, whatever its signs; None if there is none."""
        if (twin := self._first.get(exact(entry))) is not None:
            return twin
        same = self._held.get(plain(entry))
        return same if same is not None else self._words.holder(entry)


def exact(entry: MemoryEntry) -> str:
    """Gives an entry's text without its list marker, with single blanks."""
    return " ".join(_MARKER.sub("", entry.text.strip(), count=1).split())
