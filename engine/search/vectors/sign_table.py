"""The signs of very many vectors: one bit a number in sqlite-vec, so that only a few are compared exactly.

A rebuildable index beside the vectors themselves, made once there are more of them than are kept in memory. Its bits
are signs around a mean that it keeps; deleted rows leave holes that sqlite-vec never closes, so it is made anew when
there are many, and when the index has grown tenfold. Whoever asks has the bits in memory (`bits.py`): sqlite-vec's own
search takes a second and a half for a thousand of a million, counting in memory a hundredth of that.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.store.schema import Database
from engine.text.arrays import Floats, Ints, Words, unpacked

LIVE = 12_800_000
"""Numbers up to which all vectors are kept in memory: 51 MB, 50,000 chunks of 256. Beyond, bits choose candidates."""
GROWN = 10  # times as many rows as its mean was taken from, after which the table is made anew
HOLES = 0.5  # the share of deleted rows after which it is made anew
FEW = 5_000  # holes below which it is never made anew for their sake
RUN = 500  # files whose vectors are read at once


class _State(msgspec.Struct, array_like=True):
    """Model, width, mean (float32, base64), chunks when the mean was taken, rows put in, and rows taken out since."""

    model: str
    dimensions: int
    mean: str
    mean_of: int
    rows: int
    holes: int


def add(database: Database, model: str, dimensions: int, chunks: Sequence[int], data: bytes) -> None:
    """Puts the signs of these chunks' vectors in. Within a transaction of the caller's."""
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
    """Takes this model's vectors of these chunks out again. Within a transaction of the caller's."""
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
    """Tells whether vectors of so many dimensions are more than are kept in memory."""
    return int(database.about("next_chunk") or "0") * dimensions > LIVE


def signs_of(database: Database, model: str) -> Floats | None:
    """The mean around which the signs of this model are taken; None where there is no such index."""
    state = _read(database) if database.has_vectors else None
    return _mean(state) if state is not None and state.model == model else None


def all_signs(database: Database, dimensions: int) -> tuple[Ints, Words] | None:
    """Every chunk's id and signs, from the blocks in which sqlite-vec keeps them: a row at a time takes fifty times as
    long. None where it keeps them otherwise."""
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
    """An empty table with a better mean, and what is already in the index put into it."""
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
    """The first chunk and the vectors of each file that has them, some files in memory at a time."""
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
