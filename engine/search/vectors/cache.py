"""Keeps a short form of every chunk's vector in memory: read once, then only what changed. Ids are never used twice."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.search.store.schema import Database, numbers
from engine.search.vectors.layout import Layout
from engine.text.arrays import Floats, Ints, unit, unpacked

Rows = NDArray[Any]

RUN = 1_000  # files up to which vectors are read one by one; more are read in runs of so many


class VectorCache:
    """One row for each chunk that has a vector of one model, and the chunks' ids, in order."""

    def __init__(self, model: str, none: Rows) -> None:
        self.model = model
        self.ids: Ints = np.zeros(0, np.int64)
        self.rows = none
        self._files: Ints = np.zeros(0, np.int64)
        self._owners: Ints = np.zeros(0, np.int64)

    def of(self, data: bytes) -> Rows:
        """Makes the rows that are kept of the vectors of one file or several."""
        raise NotImplementedError

    def at_first(self, database: Database) -> tuple[Ints, Rows] | None:
        """Ids and rows of all chunks, where there is a quicker way to them than their vectors."""
        return None

    def refresh(self, database: Database, where: Layout) -> bool:
        """Takes in what is new and forgets what is gone; says whether there was anything to do."""
        here = numbers(database.rows("SELECT group_concat(file) FROM vectors WHERE model = ?", (self.model,)))
        here.sort()
        if np.array_equal(here, self._files):
            return False
        quick = None if len(self._files) else self.at_first(database)
        if quick is not None:
            self.ids, self.rows = quick
            self._owners = where.files[where.files_of(self.ids)]
        else:
            self._forget(np.setdiff1d(self._files, here, assume_unique=True))
            self._take_in(database, where, np.setdiff1d(here, self._files, assume_unique=True))
        self._files = here
        if np.any(self.ids[1:] < self.ids[:-1]):  # vectors that were made later than those of newer files
            order = np.argsort(self.ids, kind="stable")
            self._owners, self.ids, self.rows = self._owners[order], self.ids[order], self.rows[order]
        return True

    def _forget(self, gone: Ints) -> None:
        if len(gone):
            kept = ~np.isin(self._owners, gone)
            self._owners, self.ids, self.rows = self._owners[kept], self.ids[kept], self.rows[kept]

    def _take_in(self, database: Database, where: Layout, new: Ints) -> None:
        parts = [(file, self.of(data)) for file, data in _vectors(database, self.model, new)]
        if not parts:
            return
        counts = [len(rows) for _, rows in parts]
        owners = np.repeat(np.array([file for file, _ in parts], np.int64), counts)
        within = np.concatenate([np.arange(count, dtype=np.int64) for count in counts])
        at = np.searchsorted(where.files, owners)
        self._owners = np.concatenate([self._owners, owners])
        self.ids = np.concatenate([self.ids, where.first[at] + within])
        self.rows = np.concatenate([self.rows, *(rows for _, rows in parts)])


def _vectors(database: Database, model: str, files: Ints) -> Iterator[tuple[int, bytes]]:
    """Each file with its chunks' vectors, of few files one by one."""
    wanted = frozenset(files.tolist())
    if len(wanted) <= RUN:
        sql = "SELECT file, data FROM vectors WHERE file = ? AND model = ?"
        found: Iterable[tuple[Any, ...]] = (row for file in sorted(wanted) for row in database.rows(sql, (file, model)))
    else:
        found = _runs(database, model, min(wanted) - 1)
    return ((int(file), bytes(data)) for file, data in found if file in wanted)


def _runs(database: Database, model: str, last: int) -> Iterator[tuple[Any, ...]]:
    sql = "SELECT file, data FROM vectors WHERE file > ? AND model = ? ORDER BY file LIMIT ?"
    while rows := database.rows(sql, (last, model, RUN)):
        yield from rows
        last = int(rows[-1][0])


SHRINK = 50  # the mean of so many chunks counts half: in a handful of notes their mean is what they are about
DRIFT = 1.1  # the mean is taken anew when the number of chunks has changed by this factor


class Matrix(VectorCache):
    """The vectors of every chunk that has them, at length 1, and the mean around which they are compared."""

    def __init__(self, model: str, dimensions: int, *, centred: bool) -> None:
        super().__init__(model, np.zeros((0, dimensions), np.float32))
        self._dimensions = dimensions
        self._centred = centred
        self._mean: Floats = np.zeros(dimensions, np.float32)
        self._mean_of = 0
        self._lengths: Floats = np.zeros(0, np.float32)

    def of(self, data: bytes) -> Floats:
        return unpacked(data, self._dimensions)

    def refresh(self, database: Database, where: Layout) -> bool:
        changed = super().refresh(database, where)
        if changed and self._centred:
            self._centre()
        return changed

    def _centre(self) -> None:
        count = len(self.rows)
        if not (count / DRIFT <= self._mean_of <= count * DRIFT and self._mean_of):
            self._mean = self.rows.mean(axis=0) * (count / (count + SHRINK)) if count else self._mean * 0
            self._mean_of = count
        # Of the centred rows only their lengths are kept: |r - m|² = |r|² - 2 r·m + |m|².
        squares = np.einsum("ij,ij->i", self.rows, self.rows) - 2 * np.einsum("ij,j->i", self.rows, self._mean)
        self._lengths = np.sqrt(np.maximum(squares + self._mean @ self._mean, 0))

    def cosines(self, query: Floats) -> Floats:
        """The cosine of each row with an embedded query; all zero where the query says nothing."""
        if not np.any(query):
            return np.zeros(len(self.rows), np.float32)
        wanted = unit((query - self._mean)[None, :])[0]
        # Not `@`: BLAS shares so small a product among threads, which wait for each other on a busy machine (20 ms
        # against 0.5 ms for 11,000 rows).
        found: Floats = np.einsum("ij,j->i", self.rows, wanted)
        if self._centred:
            # A row that is the mean itself has no length.
            found = (found - self._mean @ wanted) / np.maximum(self._lengths, np.float32(1e-6))
        return found
