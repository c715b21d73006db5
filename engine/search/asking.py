"""Asks the index: words and vectors together, with what is worth keeping in memory between two questions."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from engine.search import coarse
from engine.search.bits import Bits
from engine.search.embedding import Embedder, EmbeddingFailed, Missing
from engine.search.lexical import Lexical, lexical
from engine.search.merge import MERGES
from engine.search.question import Question
from engine.search.ranking import Scored, scored
from engine.search.schema import Database
from engine.search.values import Request
from engine.search.vectors import Layout, Matrix, Meaning, dimensions_of, exact, layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.search.embedding import Floats

CANDIDATES = 200
LEXICAL_CANDIDATES = 300
SPARE = 10
"""Files beyond those asked for: ties are broken among them, and a note may be gone."""


class Found(msgspec.Struct, frozen=True):
    """One file that answers: its path and title, and the lines of the chunk that answers best."""

    path: str
    title: str
    start: int
    end: int
    scored: Scored


class Ranking(msgspec.Struct, frozen=True):
    """What was found, best first, whether vectors took part, and what was amiss."""

    found: tuple[Found, ...]
    with_vectors: bool
    remarks: tuple[str, ...] = ()


class Asker:
    """Answers from an open index. To be used by one thread at a time."""

    def __init__(self, embedder: Callable[[], Embedder | Missing]) -> None:
        self._embedder = embedder
        self._key: tuple[Database, str] | None = None
        self._layout: Layout | None = None
        self._matrix: Matrix | None = None
        self._bits: Bits | None = None
        self._asked_before = False

    def rank(self, database: Database, request: Request, asked: Question) -> Ranking:
        """The best files for a question. Within one transaction of the caller's."""
        words = lexical(database, asked)
        where = self._refresh(database)
        meaning, remarks = self._meaning(database, where, words, asked)
        among = _among(database, request, where)
        merge = MERGES.get(request.merge, MERGES["adaptive"])
        best = scored(words, where, meaning, merge, max(request.n, 1) + SPARE, among)
        found = tuple(_found(database, one) for one in best)
        return Ranking(found, meaning is not None, remarks)

    def _refresh(self, database: Database) -> Layout:
        """Brings what is kept in memory to the index's present generation."""
        key = (database, database.about("generation"))
        if self._layout is None or self._key is None or self._key[0] is not database or self._key[1] != key[1]:
            if self._key is None or self._key[0] is not database:
                self._matrix, self._bits, self._asked_before = None, None, False
            self._layout, self._key = layout(database), key
            self._refresh_matrix(database, self._layout)
            if self._bits is not None:
                self._refresh_bits(database, self._layout, self._bits.model)
        return self._layout

    def _refresh_matrix(self, database: Database, where: Layout) -> None:
        embedder = self._embedder()
        dimensions = 0 if isinstance(embedder, Missing) else dimensions_of(database, embedder.id)
        if isinstance(embedder, Missing) or not dimensions or _too_many(database, where):
            self._matrix = None
            return
        if self._matrix is None or self._matrix.model != embedder.id:
            self._matrix = Matrix(embedder.id, dimensions, centred=embedder.quick)
        self._matrix.refresh(database, where)

    def _meaning(
        self, database: Database, where: Layout, words: Lexical, asked: Question
    ) -> tuple[Meaning | None, tuple[str, ...]]:
        embedder = self._embedder()
        if isinstance(embedder, Missing):
            return None, (f"by words alone: {embedder.reason}",)
        lacking = _lacking(database, embedder.id)
        remarks = (f"{lacking:,} files have no vectors yet",) if lacking else ()
        if not dimensions_of(database, embedder.id):
            return None, remarks
        try:
            query = embedder.embed([asked.text])[0]
        except EmbeddingFailed as error:
            return None, (f"by words alone: {error}",)
        if self._matrix is not None:
            return Meaning(self._matrix.ids, self._matrix.cosines(query), embedder.weight), remarks
        chosen = self._candidates(database, where, embedder.id, query) + words.ids[:LEXICAL_CANDIDATES]
        found = exact(database, where, embedder.id, query, chosen, centred=embedder.quick)
        return msgspec.structs.replace(found, weight=embedder.weight), remarks

    def _candidates(self, database: Database, where: Layout, model: str, query: "Floats") -> list[int]:
        """By sqlite-vec for the first question; whoever asks again gets the bits into memory."""
        if self._bits is None and self._asked_before:
            self._refresh_bits(database, where, model)
        self._asked_before = True
        if self._bits is not None and self._bits.model == model:
            return self._bits.nearest(query, CANDIDATES)
        return coarse.nearest(database, model, query, CANDIDATES)

    def _refresh_bits(self, database: Database, where: Layout, model: str) -> None:
        import numpy as np

        mean = coarse.signs_of(database, model)
        if mean is None:
            self._bits = None
            return
        if self._bits is None or self._bits.model != model or not np.array_equal(self._bits.mean, mean):
            self._bits = Bits(model, mean)
        self._bits.refresh(database, where)


def _too_many(database: Database, where: Layout) -> bool:
    return database.has_vectors and int(where.counts.sum()) > coarse.LIVE


def _lacking(database: Database, model: str) -> int:
    found = database.rows(
        "SELECT (SELECT count(*) FROM files) - (SELECT count(*) FROM vectors WHERE model = ?)", (model,)
    )
    return max(0, int(found[0][0]))


def _among(database: Database, request: Request, where: Layout) -> "NDArray[np.int64] | None":
    """The places of the files that category and dates allow; None where neither is asked for."""
    if request.category is None and request.since is None and request.until is None:
        return None
    import numpy as np

    rows = database.rows(
        "SELECT first FROM files WHERE (?1 IS NULL OR category = ?1) AND day BETWEEN ?2 AND ?3 ORDER BY first",
        (
            request.category.value if request.category else None,
            (request.since or date.min).isoformat(),
            (request.until or date.max).isoformat(),
        ),
    )
    return np.searchsorted(where.first, np.array([row[0] for row in rows], dtype=np.int64))


def _found(database: Database, one: Scored) -> Found:
    sql = "SELECT f.path, f.title, c.start, c.end FROM chunks c JOIN files f ON f.id = c.file WHERE c.id = ?"
    path, title, start, end = database.rows(sql, (one.chunk,))[0]
    return Found(str(path), str(title), int(start), int(end), one)
