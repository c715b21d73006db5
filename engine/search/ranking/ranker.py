"""Asks the index by words and vectors together, and caches data in memory between two questions."""

from collections.abc import Callable, Sequence
from datetime import date

import msgspec
import numpy as np

from engine.search.dates.days_in_question import DaySpan
from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.search.query import Query
from engine.search.ranking.day_gains import by_dates
from engine.search.ranking.file_scores import (
    NOTES,
    RankingWeights,
    ScoredFile,
    chunk_worth,
    later_embedder,
    scored,
    weights_of,
)
from engine.search.ranking.lexical import Lexical, largest, lexical
from engine.search.ranking.merge import MERGES
from engine.search.ranking.postings import Lexicon
from engine.search.store.schema import Database, numbers
from engine.search.values import HitPiece, RankingRule, SearchRequest
from engine.search.vectors import signs
from engine.search.vectors.layout import Layout, Matrix, Meaning, dimensions_of, exact, layout, lines_of
from engine.search.vectors.signs import Bits
from engine.text.arrays import Doubles, Floats, Mask

CANDIDATES = 1_000
"""The chunks nearest by their bits that are compared exactly, if not all vectors are in memory."""
FILES, NEAREST_IN_FILE = 500, 2  # files whose words say most: of each, so many chunks more
MOST_LACKING = 0.5
"""Share of files without vectors beyond which words answer alone: the few that have some would push all others down
(MRR .297 by words alone, .194 with vectors for a third of the files, .318 for half of them)."""
SPARE, MOST_COPIES = 10, 50
"""Files beyond the requested number: spare ones for ties and deleted notes; and possible copies of others, two for each
requested file."""


class RankedFile(msgspec.Struct, frozen=True):
    """One file found: its path, title, and the lines of its best chunk. `copies`: later files with the same content."""

    path: str
    title: str
    start: int
    end: int
    scored: ScoredFile
    pieces: tuple[HitPiece, ...] = ()
    copies: tuple["RankedFile", ...] = ()


class Ranking(msgspec.Struct, frozen=True):
    """The files found, best first, whether vectors took part, and any problems."""

    found: tuple[RankedFile, ...]
    with_vectors: bool
    remarks: tuple[str, ...] = ()


class Ranker:
    """Ranks from an open index. For one thread at a time."""

    def __init__(self, embedder: Callable[[], Embedder | NoEmbedder]) -> None:
        self._embedder = embedder
        self._database: Database | None = None
        self._generation = ""
        self._known: tuple[Layout, Lexicon] | None = None
        self._kept: Matrix | Bits | None = None
        self._lacking = 0
        self._used: Embedder | NoEmbedder = NoEmbedder("no index was asked yet")
        self.weights = NOTES

    def rank(self, database: Database, request: SearchRequest, asked: Query, spans: Sequence[DaySpan] = ()) -> Ranking:
        """Returns the best files for a question, those of its days first. The caller opens the transaction."""
        where, lexicon = self._refresh(database)
        words = lexical(lexicon, asked)
        among = _among(database, request, where)
        meaning, remarks = self._meaning(database, where, words, asked, among)
        merge = MERGES.get(request.merge, MERGES["adaptive"])
        dates = by_dates(database, where, spans) if spans else None
        most = max(request.n, 1)
        most += min(2 * most, MOST_COPIES) + SPARE
        weights = self._weights(request.without)
        best = scored(words, where, meaning, merge, weights, most, among, dates)
        worth = chunk_worth(words, where, meaning, weights)
        found = tuple(_ranked_file(database, where, file, worth, request.pieces) for file in best)
        return Ranking(found, meaning is not None, remarks)

    def _weights(self, without: frozenset[RankingRule]) -> RankingWeights:
        found = NOTES if RankingRule.SHORT_TURNS in without else self.weights
        return msgspec.structs.replace(
            found,
            beside=0 if RankingRule.WINDOW in without else found.beside,
            spoken=found.spoken and RankingRule.USERS_WORDS not in without,
        )

    def _refresh(self, database: Database) -> tuple[Layout, Lexicon]:
        """Updates the cached data to the index's current generation and to the embedder's model."""
        if self._database is not database:
            self._kept, self._known = None, None
        generation = database.about("generation")
        # Another process may have written: its commit counts the generation on.
        if self._known is None or self._generation != generation:
            where = layout(database, self._known[0] if self._known else None)
            self._known, self.weights = (where, Lexicon(database, where)), weights_of(where)
            self._refresh_vectors(database, where)
            self._database, self._generation = database, generation
        return self._known

    def _refresh_vectors(self, database: Database, where: Layout) -> None:
        embedder = self._used = self._embedder()
        if isinstance(embedder, NoEmbedder):
            return
        later = later_embedder(database, embedder, where)
        if later is not None and not _lacking(database, later.id):
            embedder = self._used = later
        self._lacking = _lacking(database, embedder.id)
        model, dimensions, kept = embedder.id, dimensions_of(database, embedder.id), self._kept
        is_large = int(where.counts.sum()) * dimensions > signs.LIVE
        mean = signs.signs_of(database, model) if is_large else None
        if mean is not None:
            if not isinstance(kept, Bits) or kept.model != model or not np.array_equal(kept.mean, mean):
                self._kept = Bits(model, mean)
        elif dimensions and (not isinstance(kept, Matrix) or kept.model != model):
            self._kept = Matrix(model, dimensions, centred=embedder.quick)
        if self._kept is not None:
            self._kept.refresh(database, where)

    def _meaning(
        self, database: Database, where: Layout, words: Lexical, asked: Query, among: Mask | None
    ) -> tuple[Meaning | None, tuple[str, ...]]:
        embedder = self._used
        if isinstance(embedder, NoEmbedder):
            return None, (f"by words alone: {embedder.reason}",)
        remarks = (f"{self._lacking:,} files have no vectors yet",) if self._lacking else ()
        if self._kept is None or self._lacking > MOST_LACKING * len(where.files):
            return None, remarks
        try:
            query = embedder.embed([asked.text])[0]
        except EmbeddingFailed as error:
            return None, (f"by words alone: {error}",)
        found = _cosines(database, where, self._kept, words, query, among)
        lacking = bool(self._lacking) and isinstance(self._kept, Matrix)
        return msgspec.structs.replace(found, weight=embedder.weight, lacking=lacking), remarks


def _ranked_file(database: Database, where: Layout, file: ScoredFile, worth: Doubles, pieces: int) -> RankedFile:
    path, title, lines = lines_of(database, where, file.place)
    first = int(where.first[file.place])
    best = [first + int(at) for at in largest(worth[first : first + len(lines)], pieces)]
    chunks = [file.chunk, *(chunk for chunk in best if chunk != file.chunk)][:pieces]
    # A piece is worth as much as its note and its own words are together.
    named = tuple(HitPiece(*lines[chunk - first], (file.score + float(worth[chunk])) / 2) for chunk in chunks)
    return RankedFile(path, title, *lines[file.chunk - first], file, named)


def _cosines(
    database: Database, where: Layout, kept: Matrix | Bits, words: Lexical, query: Floats, among: Mask | None
) -> Meaning:
    """Compares with every chunk if all vectors are in memory, otherwise with those chosen by words and bits."""
    if isinstance(kept, Matrix):
        return Meaning(kept.ids, kept.cosines(query))
    said = np.bincount(where.files_of(words.chunks), weights=words.scores, minlength=len(where.files))
    if among is not None:
        said[~among] = 0
    most = min(FILES, int(np.count_nonzero(said)))
    by_words = kept.likeliest(query, *where.chunks_of(largest(said.astype(np.float64), most)), NEAREST_IN_FILE)
    near = kept.nearest(query, CANDIDATES, None if among is None else among[where.files_of(kept.ids)])
    return exact(database, where, kept.model, query, near + by_words + words.ids[:FILES], kept.mean)


def _lacking(database: Database, model: str) -> int:
    sql = "SELECT (SELECT count(*) FROM files) - (SELECT count(*) FROM vectors WHERE model = ?)"
    return max(0, int(database.rows(sql, (model,))[0][0]))


def _among(database: Database, request: SearchRequest, where: Layout) -> Mask | None:
    """The files allowed by category and dates, by their places; None without such a filter."""
    if request.category is None and request.since is None and request.until is None:
        return None
    rows = database.rows(
        "SELECT group_concat(id) FROM files WHERE (?1 IS NULL OR category = ?1) AND day BETWEEN ?2 AND ?3",
        (
            request.category.value if request.category else None,
            (request.since or date.min).isoformat(),
            (request.until or date.max).isoformat(),
        ),
    )
    return np.isin(where.files, numbers(rows), assume_unique=True)
