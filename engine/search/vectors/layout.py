"""Maps chunks to their files, and measures how near a query is to some of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.store.schema import Database, numbers
from engine.text.arrays import Floats, Ints, unit, unpacked

LINES_AND_WORDS = "I"  # each chunk's first and last line and its number of words, end to end
WITHIN = 24  # bits for a chunk's number within its file, where file and number go to the database as one


class Meaning(msgspec.Struct, frozen=True):
    """Chunk ids in order, and the query's cosine with each. `lacking`: a file without a cosine has no vectors yet."""

    ids: Ints
    cosines: Floats
    weight: float = 1.5
    lacking: bool = False


class Layout(msgspec.Struct, frozen=True):
    """The file of each chunk: `first` is sorted, with the file's id and number of chunks at the same place. `lengths`
    and `places` are by chunk id: the number of its words, and the place of its file."""

    first: Ints
    files: Ints
    counts: Ints
    lengths: NDArray[np.int32]
    places: NDArray[np.int32]

    def files_of(self, chunks: Ints) -> NDArray[np.int32]:
        """The places of these chunks' files."""
        found: NDArray[np.int32] = self.places[chunks]
        return found

    def chunks_of(self, places: Ints) -> tuple[Ints, Ints]:
        """The chunks of the files at these places, each with its place."""
        counts = self.counts[places]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(self.first[places], counts) + within, np.repeat(places, counts)


def layout(database: Database, before: Layout | None = None) -> Layout:
    """The layout of all chunks. With `before`, only new rows are read, since ids grow."""
    newest = int(before.files[-1]) if before is not None and len(before.files) else 0
    rows = database.rows("SELECT id, first, count, chunks FROM files WHERE id > ? ORDER BY id", (newest,))
    new = np.array([row[:3] for row in rows], np.int64).reshape(-1, 3)
    words = np.frombuffer(b"".join(row[3] for row in rows), LINES_AND_WORDS)[2::3]
    held, lengths = _still_held(database, before, len(rows))
    table = np.concatenate([held, new])
    files, first, counts = table.T.copy()
    longer = np.zeros(int(first[-1] + counts[-1]) if len(first) else 0, np.int32)
    longer[: len(lengths)] = lengths[: len(longer)]
    found = Layout(first, files, counts, longer, _places(first, len(longer)))
    longer[found.chunks_of(np.arange(len(held), len(table)))[0]] = words
    return found


def _still_held(database: Database, before: Layout | None, new: int) -> tuple[Ints, NDArray[np.int32]]:
    """The id, first chunk and number of chunks of the files that remain, and the lengths of their chunks."""
    if before is None:
        return np.zeros((0, 3), np.int64), np.zeros(0, np.int32)
    table = np.stack([before.files, before.first, before.counts], axis=1)
    if len(table) + new == database.rows("SELECT count(*) FROM files")[0][0]:
        return table, before.lengths
    held = np.isin(before.files, numbers(database.rows("SELECT group_concat(id) FROM files")), assume_unique=True)
    lengths = before.lengths.copy()
    lengths[before.chunks_of(np.flatnonzero(~held))[0]] = 0
    return table[held], lengths


def _places(first: Ints, most: int) -> NDArray[np.int32]:
    """For each chunk id, the place of the last file that begins at it or before."""
    begins = np.zeros(most, np.int32)
    begins[first[1:]] = 1
    return np.cumsum(begins, dtype=np.int32)


def lines_of(database: Database, where: Layout, place: int) -> tuple[str, str, list[tuple[int, int]]]:
    """The path and title of a file, and the first and last line of each of its chunks."""
    sql = "SELECT path, title, chunks FROM files WHERE id = ?"
    path, title, data = database.rows(sql, (int(where.files[place]),))[0]
    lines = np.frombuffer(data, LINES_AND_WORDS).reshape(-1, 3)[:, :2].tolist()
    return str(path), str(title), [(start, end) for start, end in lines]


def dimensions_of(database: Database, model: str) -> int:
    """The number of dimensions of this model's vectors in this index; 0 if it has none yet."""
    return int(database.about(f"dimensions {model}") or "0")


def exact(database: Database, where: Layout, model: str, query: Floats, chunks: Sequence[int], mean: Floats) -> Meaning:
    """The query's exact cosine with each of these chunks, centred on `mean`."""
    ids = np.unique(np.array(chunks, dtype=np.int64))
    place = where.files_of(ids)
    wanted = (where.files[place] << WITHIN) + (ids - where.first[place])
    rows = database.rows(
        "SELECT j.key, substr(v.data, 1 + (j.value & ?1) * ?2, ?2)"
        " FROM json_each(?3) j CROSS JOIN vectors v ON v.file = j.value >> ?4 WHERE +v.model = ?5",
        ((1 << WITHIN) - 1, len(query), msgspec.json.encode(wanted.tolist()).decode(), WITHIN, model),
    )
    if not rows:
        return Meaning(np.zeros(0, np.int64), np.zeros(0, np.float32))
    places, codes = zip(*rows, strict=True)
    vectors = unpacked(b"".join(codes), len(query))
    # Not `@`: BLAS has threads of its own that wait for each other, and spin while they do (half of a search's time).
    found = np.einsum("ij,j->i", unit(vectors - mean), unit((query - mean)[None, :])[0])
    return Meaning(ids[np.array(places)], found)


Rows = NDArray[Any]

RUN = 1_000  # files up to which vectors are read one by one; more are read in runs of so many


class VectorCache:
    """One row for each chunk with a vector of one model, and the chunks' ids, in order."""

    def __init__(self, model: str, none: Rows) -> None:
        self.model = model
        self.ids: Ints = np.zeros(0, np.int64)
        self.rows = none
        self._files: Ints = np.zeros(0, np.int64)
        self._owners: Ints = np.zeros(0, np.int64)

    def of(self, data: bytes) -> Rows:
        """Makes the cached rows from the vectors of one or more files."""
        raise NotImplementedError

    def at_first(self, database: Database) -> tuple[Ints, Rows] | None:
        """The ids and rows of all chunks, if they can be read faster than from their vectors; otherwise None."""
        return None

    def refresh(self, database: Database, where: Layout) -> bool:
        """Adds new rows and removes deleted ones. Tells whether anything changed."""
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
    """Yields each file with its chunks' vectors; a small number of files is read one by one."""
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
    """The vectors of all chunks, at length 1, and the mean on which they are centred."""

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
        """The cosine of each row with an embedded query; all zero for an empty query."""
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
