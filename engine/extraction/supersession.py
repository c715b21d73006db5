"""Tells which entries a later one on the same subject supersedes, in the order in which they were said (D45)."""

from datetime import datetime

import msgspec

from engine.extraction.entry import EntryKind
from engine.extraction.rows import SupersededBy
from engine.extraction.subjects import Standpoint, standpoint

SUPERSEDABLE = frozenset({EntryKind.DECISION, EntryKind.PREFERENCE, EntryKind.CORRECTION})
"""Kinds of which only the last word on a subject holds."""


class SaidEntry(msgspec.Struct, frozen=True):
    """An entry as the order of entries needs it. `project` is the one that it names, empty for none."""

    ident: str
    kind: EntryKind
    quote: str
    day: str
    at: datetime
    project: str


class Supersessions:
    """The entries said so far: those that hold, and those that a later one superseded."""

    def __init__(self) -> None:
        self.superseded: dict[str, SupersededBy] = {}
        self._said: set[str] = set()
        self._last: dict[tuple[EntryKind, str], str] = {}
        self._held: dict[EntryKind, dict[str, tuple[SaidEntry, Standpoint]]] = {}

    def is_said(self, ident: str) -> bool:
        """Tells whether an entry was said before, superseded or not."""
        return ident in self._said

    def is_replaced(self, kind: EntryKind, quote: str) -> bool:
        """Tells whether these words were said before and something else has held since."""
        return self._last.get((kind, _folded(quote)), "") in self.superseded

    def take(self, entry: SaidEntry) -> None:
        """Takes the next entry in the order of time; those on its subject that it contradicts hold no longer."""
        self._said.add(entry.ident)
        self._last[entry.kind, _folded(entry.quote)] = entry.ident
        point = standpoint(entry.quote) if entry.kind in SUPERSEDABLE else None
        if point is None:
            return
        held = self._held.setdefault(entry.kind, {})
        for ident in [one for one, (said, earlier) in held.items() if _contradicts(entry, point, said, earlier)]:
            del held[ident]
            self.superseded[ident] = SupersededBy(entry.ident, entry.day)
        held[entry.ident] = entry, point


def _contradicts(entry: SaidEntry, point: Standpoint, said: SaidEntry, earlier: Standpoint) -> bool:
    return (bool(point.subject) or entry.project == said.project) and point.contradicts(earlier)


def _folded(quote: str) -> str:
    return " ".join(quote.casefold().split())
