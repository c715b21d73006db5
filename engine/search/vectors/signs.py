"""The signs of very many vectors in memory: 32 bytes a chunk, compared with a query by counting bits. Two steps choose
candidates: the bits that differ from the query's say which chunks are looked at, and the query's own numbers under the
signs of those say which are best. Of 100,000 chunks the best thousand then hold 99 % of the ten that are nearest (91 %
by counting alone)."""

import numpy as np
from numpy.typing import NDArray

from engine.search.store.schema import Database
from engine.search.vectors import sign_table
from engine.search.vectors.cache import VectorCache
from engine.search.vectors.layout import Layout
from engine.text.arrays import Floats, Ints, Words, unit, unpacked

ROUGH = 20  # for each candidate so many chunks are looked at
BLOCK = 65_536  # chunks that are compared at once, so that they stay in the processor's cache
FAR = 65_535  # more bits than any vector has


class Bits(VectorCache):
    """The signs of every chunk that has vectors of one model, around a mean, as words of 64 bits."""

    def __init__(self, model: str, mean: Floats) -> None:
        super().__init__(model, np.zeros((0, len(mean) // 64), np.uint64))
        self.mean = mean

    def of(self, data: bytes) -> Words:
        return np.asfortranarray(packed_signs(unpacked(data, len(self.mean)) - self.mean))

    def at_first(self, database: Database) -> tuple[Ints, Words] | None:
        return sign_table.all_signs(database, len(self.mean))

    def nearest(self, query: Floats, count: int, among: NDArray[np.bool_] | None = None) -> list[int]:
        """The chunks that are likely to be nearest to a query, best first; the same ones whenever it is asked. `among`
        says of each chunk whether it may be one of them."""
        centred = unit((query - self.mean)[None, :])
        apart = self._apart(packed_signs(centred)[0])
        if among is not None:
            apart[~among] = FAR
        rough = _least(apart, ROUGH * count)
        likeness = _likeness(self._signs(rough), centred[0])
        best = np.lexsort((self.ids[rough], -likeness))[:count]
        return [int(chunk) for chunk in self.ids[rough[best]]]

    def likeliest(self, query: Floats, chunks: Ints, owners: Ints, each: int) -> list[int]:
        """Of these chunks, those of one owner together, each owner's that are likely to be nearest to a query."""
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
        """Counts the bits of each chunk that differ. Each word of all rows lies by itself, which halves the time."""
        apart = np.zeros(len(self.rows), np.uint16)
        for at in range(0, len(apart), BLOCK):
            part = apart[at : at + BLOCK]
            for column, bits in zip(self.rows[at : at + BLOCK].T, wanted, strict=True):
                part += np.bitwise_count(column ^ bits)
        return apart


def _least(values: NDArray[np.uint16], count: int) -> Ints:
    """Finds the places of the least values, without those that are FAR: about so many, more where several are equal."""
    # Distances are small whole numbers: counting them is linear, where sorting a million would not be.
    many = np.cumsum(np.bincount(values, minlength=FAR + 1)[:FAR])
    most = min(int(np.searchsorted(many, count)), FAR - 1)
    return np.flatnonzero(values <= most)[: 4 * count]


def _likeness(signs: NDArray[np.uint8], query: Floats) -> Floats:
    """The query's numbers added up, each under the sign that a row has there; looked up eight numbers at a time."""
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
