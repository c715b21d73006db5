"""The signs of very many vectors in memory: 32 bytes a chunk, compared with a query by counting bits.

The same signs as in `coarse`, which answers the first question of a process: loading takes a second or two for a
million chunks, and asking then an eighth of the time.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.search.embedding import unpacked
from engine.search.schema import Database
from engine.search.vectors import Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.search.embedding import Floats

    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

FEW = 1_000
"""Files up to which vectors are read one by one; more are read in runs."""


class Bits:
    """The signs of every chunk that has vectors of one model, and the chunks' ids."""

    def __init__(self, model: str, mean: "Floats") -> None:
        import numpy as np

        self.model = model
        self.mean = mean
        self._held: Ints = np.zeros(0, np.int64)
        self._owners: Ints = np.zeros(0, np.int64)
        self._ids: Ints = np.zeros(0, np.int64)
        self._words: Words = np.zeros((len(mean) // 64, 0), np.uint64)

    def refresh(self, database: Database, where: Layout) -> None:
        """Reads the vectors of new files and forgets those of files that are gone. Ids are never used twice."""
        import numpy as np

        rows = database.rows("SELECT file FROM vectors WHERE model = ? ORDER BY file", (self.model,))
        here = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        gone = np.setdiff1d(self._held, here, assume_unique=True)
        new = np.setdiff1d(here, self._held, assume_unique=True)
        if len(gone):
            kept = ~np.isin(self._owners, gone)
            self._owners, self._ids, self._words = self._owners[kept], self._ids[kept], self._words[:, kept]
        if len(new):
            self._add(where, [*self._read(database, new)])
        self._held = here

    def _read(self, database: Database, new: "Ints") -> Iterator[tuple["Ints", "Ints", "Words"]]:
        """Per run of files: each chunk's file, its number within the file, and its bits."""
        wanted = frozenset(new.tolist())
        last = int(new[0]) - 1
        one_by_one = iter([new[at : at + 1] for at in range(len(new))]) if len(new) <= FEW else None
        while True:
            if one_by_one is not None:
                file = next(one_by_one, None)
                if file is None:
                    return
                rows = database.rows("SELECT file, data FROM vectors WHERE file = ?", (int(file[0]),))
            else:
                sql = "SELECT file, data FROM vectors WHERE file > ? AND model = ? ORDER BY file LIMIT ?"
                rows = database.rows(sql, (last, self.model, FEW))
                if not rows:
                    return
                last = int(rows[-1][0])
            found = [(int(number), bytes(data)) for number, data in rows if number in wanted]
            if found:
                yield self._signs(found)

    def _signs(self, found: Sequence[tuple[int, bytes]]) -> tuple["Ints", "Ints", "Words"]:
        import numpy as np

        dimensions = len(self.mean)
        counts = [len(data) // dimensions for _, data in found]
        owners = np.repeat(np.array([file for file, _ in found], np.int64), counts)
        within = np.concatenate([np.arange(count, dtype=np.int64) for count in counts])
        rows = unpacked(b"".join(data for _, data in found), dimensions)
        return owners, within, packed_signs(rows - self.mean).T

    def _add(self, where: Layout, read: Sequence[tuple["Ints", "Ints", "Words"]]) -> None:
        import numpy as np

        if not read:
            return
        owners = np.concatenate([part[0] for part in read])
        within = np.concatenate([part[1] for part in read])
        by_file = np.argsort(where.files)
        at = by_file[np.searchsorted(where.files, owners, sorter=by_file)]
        self._owners = np.concatenate([self._owners, owners])
        self._ids = np.concatenate([self._ids, where.first[at] + within])
        self._words = np.concatenate([self._words, *(part[2] for part in read)], axis=1)

    def nearest(self, query: "Floats", count: int) -> list[int]:
        """The chunks whose signs are most like the query's; of equal ones those with the smaller ids."""
        import numpy as np

        if not len(self._ids):
            return []
        wanted = packed_signs((query - self.mean)[None, :])[0]
        apart = np.zeros(len(self._ids), np.int64)
        for word, mine in zip(self._words, wanted, strict=True):
            apart += np.bitwise_count(word ^ mine)
        keys = (apart << 44) + self._ids
        best = np.argpartition(keys, min(count, len(keys)) - 1)[:count]
        return [int(chunk) for chunk in self._ids[best[np.argsort(keys[best])]]]


def packed_signs(rows: "Floats") -> "Words":
    """The signs of each row as words of 64 bits."""
    import numpy as np

    packed: Words = np.packbits(rows > 0, axis=1, bitorder="little").view(np.uint64)
    return packed
