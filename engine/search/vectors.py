"""Which chunks an index has and whose they are, and how near a query is to some of them."""

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


WITHIN = 24
"""Bits for a chunk's number within its file, where file and number go to the database as one."""


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

    def chunks_of(self, places: "Ints") -> "tuple[Ints, Ints]":
        """The chunks of the files at these places, and the place that each belongs to."""
        import numpy as np

        counts = self.counts[places]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(self.first[places], counts) + within, np.repeat(places, counts)


def layout(database: Database) -> Layout:
    import numpy as np

    rows = database.rows("SELECT first, id, count FROM files ORDER BY first")
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Layout(table[:, 0], table[:, 1], table[:, 2])


def dimensions_of(database: Database, model: str) -> int:
    """How many numbers a vector of this model has in this index; 0 where there is none yet."""
    return int(database.about(f"dimensions {model}") or "0")


def exact(
    database: Database, where: Layout, model: str, query: "Floats", chunks: Sequence[int], mean: "Floats"
) -> Meaning:
    """The query's cosine with each of these chunks around `mean`, from their vectors in the index."""
    import numpy as np

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
