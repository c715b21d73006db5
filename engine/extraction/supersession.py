"""Tells which entries a later one at the same address supersedes, in the order in which they were said (D45, D61)."""

from collections.abc import Callable
from datetime import datetime

import msgspec

from engine.extraction.addresses import addresses
from engine.extraction.entry import EntryKind
from engine.extraction.relations import AddressBook, Relation
from engine.extraction.rows import BOTH, SupersededBy

ADDRESSED = frozenset(EntryKind) - {EntryKind.LESSON}
"""Kinds that say a value; of a lesson nothing later takes the place."""


class SaidEntry(msgspec.Struct, frozen=True):
    """An entry as the order of entries needs it.

    `project` is the one that it names; `source` is the transcript, where it is read now. Either may be empty.
    """

    ident: str
    kind: EntryKind
    quote: str
    day: str
    at: datetime
    project: str
    source: str = ""


class UndecidedPair(msgspec.Struct, frozen=True):
    """Two entries of which nobody can tell whether the later one takes the place of the earlier."""

    earlier: str
    later: str
    day: str


class Supersessions:
    """The entries said so far: those that hold, and those that a later one superseded."""

    def __init__(self, verdict: Callable[[str, str], str] = lambda _earlier, _later: "") -> None:
        """`verdict` gives the id of the entry that the operator kept of two, `both`, or nothing."""
        self.superseded: dict[str, SupersededBy] = {}
        self._verdict = verdict
        self._undecided: list[UndecidedPair] = []
        self._last: dict[tuple[EntryKind, str], str] = {}
        self._said: dict[str, SaidEntry] = {}
        self._book = AddressBook()

    @property
    def undecided(self) -> tuple[UndecidedPair, ...]:
        """The pairs for the operator, both of which still hold."""
        return tuple(one for one in self._undecided if not {one.earlier, one.later} & self.superseded.keys())

    def is_said(self, ident: str) -> bool:
        """Tells whether an entry was said before, superseded or not."""
        return ident in self._said

    def is_replaced(self, kind: EntryKind, quote: str) -> bool:
        """Tells whether these words were said before and something else has held since."""
        return self._last.get((kind, _folded(quote)), "") in self.superseded

    def take(self, entry: SaidEntry) -> None:
        """Takes the next entry in the order of time; those at its address with another value hold no longer."""
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
    """Tells whether an entry says a value; of events those that change one."""
    events = entry.kind is EntryKind.JOURNAL
    return entry.kind in ADDRESSED and any(one.moved or not events for one in addresses(entry.quote))


def _at_once(one: SaidEntry, other: SaidEntry) -> bool:
    """Tells whether two sources say it at the same instant: of one source the order tells which is later."""
    return one.at == other.at and bool(one.source and other.source) and one.source != other.source


def _folded(quote: str) -> str:
    return " ".join(quote.casefold().split())
