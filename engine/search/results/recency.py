"""Breaks ties between hits by recency and use (D6). Use is counted in the state: anyone may delete the index."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from functools import cached_property

import msgspec

from engine.errors import MemdeckError
from engine.search.ranking.ranker import RankedFile
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.workspace.snapshot import Snapshot

HALF_LIFE_DAYS = 7.0  # the age in days at which a file's recency is half of today's
TIE = 3  # scores equal to so many decimals are a tie, which references and recency break
MOST_BOOST = 1.5  # the most that references may do, so that they decide ties alone (decision D6)
PER_REFERENCE = 0.05  # the boost of each of the first ten references


class References:
    """Use counts by path. If they cannot be read they are 0; if one cannot be written the search continues."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.REFERENCES)

    @cached_property
    def _counts(self) -> dict[str, int]:
        return self._table.values(int)

    def count(self, path: str) -> int:
        return self._counts.get(path, 0)

    def boost(self, path: str) -> float:
        """The factor that breaks a tie, at most 1.5 (decision D6)."""
        return min(MOST_BOOST, 1 + PER_REFERENCE * self.count(path))

    def add(self, path: str) -> None:
        """Counts one more use. It is on disk when this returns."""
        self._counts[path] = self.count(path) + 1
        with suppress(MemdeckError), self._table.change() as rows:  # a use less changes the order of a tie, no more
            self._counts[path] = rows.count(path) + 1
            rows.put(path, msgspec.json.encode(self._counts[path]))


def recency(day: date, today: date) -> float:
    """Returns 1 for today and half of it for each week before (D6). A future date counts as today."""
    # Clamped at today: a note dated into the future would rank above all others (decision G8).
    return float(0.5 ** (max(0, (today - day).days) / HALF_LIFE_DAYS))


def ordered(found: Iterable[RankedFile], snapshot: Snapshot, references: References) -> list[RankedFile]:
    """Sorts by score; ties by references and recency, then by path (decision D6)."""
    today = snapshot.taken_at.date()

    def key(file: RankedFile) -> tuple[float, float, str]:
        facts = snapshot.files.get(file.path)
        fresh = recency(facts.date.day if facts else date.min, today)
        return -round(file.scored.score, TIE), -fresh * references.boost(file.path), file.path

    return sorted(found, key=key)
