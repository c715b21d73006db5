"""Maps chunks to their files, and measures how near a query is to some of them."""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.store.schema import Database, numbers
from engine.text.arrays import Floats, Ints, unit, unpacked

LINES_AND_WORDS = "I"  # each chunk's first and last line and its number of words, end to end
WITHIN = 24  # bits for a chunk's number within its file, where file and number go to the database as one


class Meaning(msgspec.Struct, frozen=True):
    """Chunk ids in order, and the query's cosine with each: of all chunks that have vectors, or of the candidates.
    `lacking`: files without a cosine are those whose vectors are not made yet."""

    ids: Ints
    cosines: Floats
    weight: float = 1.5
    lacking: bool = False


class Layout(msgspec.Struct, frozen=True):
    """The file of each chunk: `first` sorted, and the file's id and number of chunks at the same place. `lengths` and
    `places` are by chunk id: the chunk's words, and the place of its file."""

    first: Ints
    files: Ints
    counts: Ints
    lengths: NDArray[np.int32]
    places: NDArray[np.int32]

    def files_of(self, chunks: Ints) -> NDArray[np.int32]:
        """The places of the files that hold these chunks."""
        found: NDArray[np.int32] = self.places[chunks]
        return found

    def chunks_of(self, places: Ints) -> tuple[Ints, Ints]:
        """The chunks of the files at these places, and the place that each belongs to."""
        counts = self.counts[places]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(self.first[places], counts) + within, np.repeat(places, counts)


def layout(database: Database, before: Layout | None = None) -> Layout:
    """The layout of all chunks; of what was there `before` only what is new is read, since ids grow."""
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
    """Id, first chunk and number of chunks of the files that are still there, and the lengths of their chunks."""
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
    """For each chunk id the place of the last file that begins there or before."""
    begins = np.zeros(most, np.int32)
    begins[first[1:]] = 1
    return np.cumsum(begins, dtype=np.int32)


def lines_of(database: Database, where: Layout, chunk: int) -> tuple[str, str, int, int]:
    """Path and title of a chunk's file, and the chunk's first and last line."""
    place = int(where.places[chunk])
    sql = "SELECT path, title, chunks FROM files WHERE id = ?"
    path, title, data = database.rows(sql, (int(where.files[place]),))[0]
    start, end, _ = np.frombuffer(data, LINES_AND_WORDS).reshape(-1, 3)[chunk - int(where.first[place])]
    return str(path), str(title), int(start), int(end)


def dimensions_of(database: Database, model: str) -> int:
    """Gives the number of dimensions of this model's vectors in this index; 0 where there is none yet."""
    return int(database.about(f"dimensions {model}") or "0")


def exact(database: Database, where: Layout, model: str, query: Floats, chunks: Sequence[int], mean: Floats) -> Meaning:
    """The query's cosine with each of these chunks around `mean`, from their vectors in the index."""
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
