"""Counts how often each file was of use: in the operator's state, apart from the index that anyone may delete (D6)."""

from contextlib import suppress
from functools import cached_property

import msgspec

from engine.errors import MemdeckError
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table

MOST_BOOST = 1.5  # the most that references may do, so that they decide ties alone (decision D6)
PER_REFERENCE = 0.05  # the boost of each of the first ten references


class References:
    """Counts by path. Where they cannot be read they count nothing; where none is kept the search goes on."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.REFERENCES)

    @cached_property
    def _counts(self) -> dict[str, int]:
        return self._table.values(int)

    def count(self, path: str) -> int:
        return self._counts.get(path, 0)

    def boost(self, path: str) -> float:
        """Gives the factor that decides a tie, at most 1.5 (decision D6)."""
        return min(MOST_BOOST, 1 + PER_REFERENCE * self.count(path))

    def add(self, path: str) -> None:
        """Counts one more use, on disk when this returns."""
        self._counts[path] = self.count(path) + 1
        with suppress(MemdeckError), self._table.change() as rows:  # a use less changes the order of a tie, no more
            self._counts[path] = rows.count(path) + 1
            rows.put(path, msgspec.json.encode(self._counts[path]))
