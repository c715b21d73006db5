"""Keeps the signs of very many vectors in memory, 32 bytes a chunk. Counting bits chooses the chunks that are looked
at, and the query's own numbers choose among them: the best thousand of 100,000 have 99 % of the ten nearest."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.store.schema import Database
from engine.search.vectors.layout import Layout, VectorCache
from engine.text.arrays import Floats, Ints, Words, unit, unpacked

LIVE = 12_800_000
"""The most numbers for which all vectors stay in memory: 51 MB, 50,000 chunks of 256. Beyond it, bits preselect."""
GROWN = 10  # times as many rows as its mean was taken from, after which the table is made anew
HOLES = 0.5  # the share of deleted rows after which it is made anew
FEW = 5_000  # holes below which it is never made anew for their sake
RUN = 500  # files whose vectors are read at once


class _State(msgspec.Struct, array_like=True):
    """Model, width, mean (float32, base64), chunks when that was computed, rows inserted, and rows deleted since."""

    model: str
    dimensions: int
    mean: str
    mean_of: int
    rows: int
    holes: int


def add(database: Database, model: str, dimensions: int, chunks: Sequence[int], data: bytes) -> None:
    """Inserts the signs of these chunks' vectors. The caller opens the transaction."""
    if not database.has_vectors or not data or dimensions % 64:
        return
    state = _read(database)
    if state is None and not is_large(database, dimensions):
        return
    rows = unpacked(data, dimensions)
    if state is None or state.model != model or state.dimensions != dimensions or state.rows > GROWN * state.mean_of:
        state = _make_anew(database, model, dimensions, rows)
    _insert(database, chunks, rows - _mean(state))
    state.rows += len(rows)
    _write(database, state)


def remove(database: Database, model: str, chunks: Sequence[int]) -> None:
    """Deletes this model's vectors of these chunks. The caller opens the transaction."""
    state = _read(database) if database.has_vectors and chunks else None
    if state is None or state.model != model:
        return
    database.many("DELETE FROM coarse WHERE rowid = ?", [(chunk,) for chunk in chunks])
    state.holes += len(chunks)
    _write(database, state)
    if state.holes > max(FEW, HOLES * state.rows):
        database.rows("DROP TABLE coarse")
        _write(database, None)


def is_large(database: Database, dimensions: int) -> bool:
    """Tells whether vectors of this size are too many to keep in memory."""
    return int(database.about("next_chunk") or "0") * dimensions > LIVE


def signs_of(database: Database, model: str) -> Floats | None:
    """The mean that this model's signs refer to; None if there is no such index."""
    state = _read(database) if database.has_vectors else None
    return _mean(state) if state is not None and state.model == model else None


def all_signs(database: Database, dimensions: int) -> tuple[Ints, Words] | None:
    """Every chunk's id and signs, from sqlite-vec's own blocks: far faster than by row. None if its format differs."""
    ids, words = [np.zeros(0, np.int64)], [np.zeros((0, dimensions // 64), np.uint64)]
    for block, valid, rowids in database.rows("SELECT chunk_id, validity, rowids FROM coarse_chunks"):
        data = database.rows("SELECT vectors FROM coarse_vector_chunks00 WHERE rowid = ?", (block,))
        held = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little").astype(bool)
        if not data or len(rowids) != 8 * len(held) or len(data[0][0]) * 8 != dimensions * len(held):
            return None
        ids.append(np.frombuffer(rowids, np.int64)[held])
        words.append(np.frombuffer(data[0][0], np.uint64).reshape(len(held), -1)[held])
    return np.concatenate(ids), np.concatenate(words)


def _make_anew(database: Database, model: str, dimensions: int, rows: Floats) -> _State:
    """Creates an empty table with a better mean, and inserts the index's vectors into it."""
    total, count = rows.sum(axis=0, dtype=np.float64), len(rows)
    for _, held in _held(database, model, dimensions):
        total, count = total + held.sum(axis=0), count + len(held)
    mean = (total / count).astype(np.float32)
    state = _State(model, dimensions, b64encode(mean.tobytes()).decode(), count, 0, 0)
    database.rows("DROP TABLE IF EXISTS coarse")
    database.rows(f"CREATE VIRTUAL TABLE coarse USING vec0(bits bit[{dimensions}])")
    for first, held in _held(database, model, dimensions):
        _insert(database, range(first, first + len(held)), held - mean)
        state.rows += len(held)
    return state


def _held(database: Database, model: str, dimensions: int) -> Iterator[tuple[int, Floats]]:
    """Yields the first chunk and the vectors of each file that has them, with only some files in memory at a time."""
    last = 0
    sql = (
        "SELECT v.file, f.first, v.data FROM vectors v JOIN files f ON f.id = v.file"
        " WHERE v.file > ? AND +v.model = ? ORDER BY v.file LIMIT ?"
    )
    while found := database.rows(sql, (last, model, RUN)):
        yield from ((int(first), unpacked(bytes(data), dimensions)) for _, first, data in found)
        last = int(found[-1][0])


def _insert(database: Database, chunks: Sequence[int], centred: Floats) -> None:
    packed: NDArray[np.uint8] = np.packbits(centred > 0, axis=1, bitorder="little")
    pairs: Iterable[tuple[int, bytes]] = zip(chunks, [row.tobytes() for row in packed], strict=True)
    database.many("INSERT INTO coarse (rowid, bits) VALUES (?, vec_bit(?))", list(pairs))


def _mean(state: _State) -> Floats:
    return np.frombuffer(b64decode(state.mean), dtype=np.float32)


def _read(database: Database) -> _State | None:
    text = database.about("coarse")
    return msgspec.json.decode(text, type=_State) if text else None


def _write(database: Database, state: _State | None) -> None:
    database.set_about("coarse", "" if state is None else msgspec.json.encode(state).decode())


ROUGH = 20  # for each candidate so many chunks are looked at
BLOCK = 65_536  # chunks that are compared at once, so that they stay in the processor's cache
FAR = 65_535  # more bits than any vector has


class Bits(VectorCache):
    """The signs of all chunks' vectors of one model, around a mean, as words of 64 bits."""

    def __init__(self, model: str, mean: Floats) -> None:
        super().__init__(model, np.zeros((0, len(mean) // 64), np.uint64))
        self.mean = mean

    def of(self, data: bytes) -> Words:
        return np.asfortranarray(packed_signs(unpacked(data, len(self.mean)) - self.mean))

    def at_first(self, database: Database) -> tuple[Ints, Words] | None:
        return all_signs(database, len(self.mean))

    def nearest(self, query: Floats, count: int, among: NDArray[np.bool_] | None = None) -> list[int]:
        """The chunks probably nearest to a query, best first; deterministic. `among`: which chunks may be returned."""
        centred = unit((query - self.mean)[None, :])
        apart = self._apart(packed_signs(centred)[0])
        if among is not None:
            apart[~among] = FAR
        rough = _least(apart, ROUGH * count)
        likeness = _likeness(self._signs(rough), centred[0])
        best = np.lexsort((self.ids[rough], -likeness))[:count]
        return [int(chunk) for chunk in self.ids[rough[best]]]

    def likeliest(self, query: Floats, chunks: Ints, owners: Ints, each: int) -> list[int]:
        """For each owner, those of its chunks that are probably nearest to a query. An owner's chunks are adjacent."""
        at = np.minimum(np.searchsorted(self.ids, chunks), max(0, len(self.ids) - 1))
        if not len(self.ids) or not len(chunks):
            return []
        here = self.ids[at] == chunks
        chunks, owners, at = chunks[here], owners[here], at[here]
        likeness = _likeness(self._signs(at), unit((query - self.mean)[None, :])[0])
        order = np.lexsort((chunks, -likeness, owners))
        owners = owners[order]
        starts = np.searchsorted(owners, owners)
        return [int(chunk) for chunk in chunks[order][np.arange(len(order)) - starts < each]]

    def refresh(self, database: Database, where: Layout) -> bool:
        changed = super().refresh(database, where)
        self.rows = np.asfortranarray(self.rows)
        return changed

    def _signs(self, at: Ints) -> NDArray[np.uint8]:
        """The rows at these places, eight signs a number."""
        return np.ascontiguousarray(self.rows[at]).view(np.uint8)

    def _apart(self, wanted: Words) -> NDArray[np.uint16]:
        """Counts the bits of each chunk that differ. Columns are stored contiguously, which halves the time."""
        apart = np.zeros(len(self.rows), np.uint16)
        for at in range(0, len(apart), BLOCK):
            part = apart[at : at + BLOCK]
            for column, bits in zip(self.rows[at : at + BLOCK].T, wanted, strict=True):
                part += np.bitwise_count(column ^ bits)
        return apart


def _least(values: NDArray[np.uint16], count: int) -> Ints:
    """The places of the smallest values, except FAR: about `count`, more if several are equal."""
    # Distances are small whole numbers: counting them is linear, where sorting a million would not be.
    many = np.cumsum(np.bincount(values, minlength=FAR + 1)[:FAR])
    most = min(int(np.searchsorted(many, count)), FAR - 1)
    return np.flatnonzero(values <= most)[: 4 * count]


def _likeness(signs: NDArray[np.uint8], query: Floats) -> Floats:
    """The sum of the query's numbers, each with the sign of the row; looked up eight numbers at a time."""
    # One table of 256 sums for each eight numbers: a row of 256 costs 32 additions in place of 256.
    of_byte = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little") * np.float32(2) - 1
    table = query.reshape(-1, 8) @ of_byte.T
    total = np.zeros(len(signs), np.float32)
    for part, column in zip(table, signs.T, strict=True):
        total += part[column]
    return total


def packed_signs(rows: Floats) -> Words:
    """The signs of each row as words of 64 bits."""
    packed: Words = np.packbits(rows > 0, axis=1, bitorder="little").view(np.uint64)
    return packed
