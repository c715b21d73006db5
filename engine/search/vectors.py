"""Vectors of one index in memory: loaded once, then only what changed, and compared with a query all at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from engine.search.embedding import unit, unpacked
from engine.search.schema import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.search.embedding import Floats

    Ints = NDArray[np.int64]

SHRINK = 50
"""The mean of so many chunks counts half: in a handful of notes their mean is what they are about."""
DRIFT = 1.1
"""The mean is taken anew when the number of chunks has changed by this factor."""


class Meaning(msgspec.Struct, frozen=True):
    """Chunk ids in order, and the query's cosine with each: of all chunks that have vectors, or of the candidates."""

    ids: "Ints"
    cosines: "Floats"
    weight: float = 1.5


class Layout(msgspec.Struct, frozen=True):
    """Which file each chunk belongs to: `first` sorted, and the file's id and number of chunks at the same place."""

    first: "Ints"
    files: "Ints"
    counts: "Ints"

    def files_of(self, chunks: "Ints") -> "Ints":
        """The places of the files that hold these chunks."""
        import numpy as np

        found: Ints = np.searchsorted(self.first, chunks, side="right") - 1
        return found


def layout(database: Database) -> Layout:
    import numpy as np

    rows = database.rows("SELECT first, id, count FROM files ORDER BY first")
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Layout(table[:, 0], table[:, 1], table[:, 2])


class Matrix:
    """The centred vectors of every file that has them, and the ids of their chunks."""

    def __init__(self, model: str, dimensions: int, *, centred: bool) -> None:
        import numpy as np

        self.model = model
        self._dimensions = dimensions
        self._centred = centred
        self._parts: dict[int, Floats] = {}
        self._mean: Floats = np.zeros(dimensions, np.float32)
        self._mean_of = 0
        self.rows: Floats = np.zeros((0, dimensions), np.float32)
        self.ids: Ints = np.zeros(0, np.int64)

    def refresh(self, database: Database, found: Layout) -> None:
        """Loads the vectors of new files and forgets those of files that are gone. Ids are never used twice."""
        import numpy as np

        here = {int(str(file)) for (file,) in database.rows("SELECT file FROM vectors WHERE model = ?", (self.model,))}
        gone, new = self._parts.keys() - here, here - self._parts.keys()
        if not gone and not new:
            return
        for file in gone:
            del self._parts[file]
        self._load(database, new)
        present = [(i, int(file)) for i, file in enumerate(found.files) if int(file) in self._parts]
        kept = [self._parts[file] for _, file in present]
        raw = np.concatenate(kept) if kept else np.zeros((0, self._dimensions), np.float32)
        spans = [np.arange(found.first[i], found.first[i] + len(self._parts[file])) for i, file in present]
        self.ids = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        self._centre(raw)

    def _load(self, database: Database, new: set[int]) -> None:
        if len(new) > 50:
            rows = database.rows("SELECT file, data FROM vectors WHERE model = ?", (self.model,))
        else:
            one = "SELECT file, data FROM vectors WHERE file = ?"
            rows = [row for file in new for row in database.rows(one, (file,))]
        for file, data in rows:
            if isinstance(file, int) and isinstance(data, bytes) and file in new:
                self._parts[file] = unpacked(data, self._dimensions)

    def _centre(self, raw: "Floats") -> None:
        count = len(raw)
        if self._centred and not (count / DRIFT <= self._mean_of <= count * DRIFT and self._mean_of):
            self._mean = raw.mean(axis=0) * (count / (count + SHRINK)) if count else self._mean * 0
            self._mean_of = count
        self.rows = unit(raw - self._mean) if self._centred else raw

    def cosines(self, query: "Floats") -> "Floats":
        """The cosine of each row with an embedded query; all zero where the query says nothing."""
        import numpy as np

        if not np.any(query):
            return np.zeros(len(self.rows), np.float32)
        # Not `@`: BLAS shares so small a product among threads, which wait for each other on a busy machine (20 ms
        # against 0.5 ms for 11,000 rows).
        found: Floats = np.einsum("ij,j->i", self.rows, unit((query - self._mean)[None, :])[0])
        return found


def dimensions_of(database: Database, model: str) -> int:
    """How many numbers a vector of this model has in this index; 0 where there is none yet."""
    return int(database.about(f"dimensions {model}") or "0")


def exact(
    database: Database, where: Layout, model: str, query: "Floats", chunks: Sequence[int], *, centred: bool
) -> "Meaning":
    """The query's cosine with each of these chunks, read from the index. Centred around the candidates' own mean."""
    import numpy as np

    ids = np.unique(np.array(chunks, dtype=np.int64))
    place = where.files_of(ids)
    parts: list[Floats] = []
    kept: list[Ints] = []
    dimensions = len(query)
    for at in np.unique(place):
        data = database.rows("SELECT data FROM vectors WHERE file = ? AND model = ?", (int(where.files[at]), model))
        if data and isinstance(data[0][0], bytes):
            mine = ids[place == at]
            parts.append(unpacked(data[0][0], dimensions)[mine - where.first[at]])
            kept.append(mine)
    if not parts:
        return Meaning(np.zeros(0, np.int64), np.zeros(0, np.float32))
    rows = np.concatenate(parts)
    mean = rows.mean(axis=0) * (len(rows) / (len(rows) + SHRINK)) if centred else np.zeros(dimensions, np.float32)
    return Meaning(np.concatenate(kept), unit(rows - mean) @ unit((query - mean)[None, :])[0])
