"""Answers one question: updates the index, searches by words and vectors, and reports how the answer was found."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.search.dates.days_in_question import DaySpan, spans_in
from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.search.indexing.file_text import matter_of, telling_words
from engine.search.indexing.index import IndexUpkeep, NoteIndex
from engine.search.indexing.slow_vectors import embed_all
from engine.search.indexing.update import time_limit
from engine.search.naming import real_path, safe_name
from engine.search.plain_search import plain_search
from engine.search.query import Query, question
from engine.search.ranking.file_scores import RankingWeights
from engine.search.ranking.ranker import SPARE, RankedFile, Ranker, Ranking
from engine.search.results.hits import folded, hits
from engine.search.results.recency import References, ordered
from engine.search.results.snippet import literals
from engine.search.store.schema import Unusable
from engine.search.values import NAME, IndexReport, IndexState, SearchAnswer, SearchMethod, SearchRequest, category_of
from engine.state.database import StateDatabase
from engine.text.secrets.detector import MARK
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

Stop = Callable[[], bool]

PLAIN_SECONDS = 10.0  # seconds of an answer without the index; what was found until then is given
MOST = 1_000  # hits of one answer


class Searcher:
    """Search in one workspace; calls wait for each other. `load_embedder` is called on first use, as it is slow."""

    def __init__(
        self, root: WorkspaceRoot, state: StateDatabase, load_embedder: Callable[[], Embedder | NoEmbedder]
    ) -> None:
        self._load_embedder = load_embedder
        self._embedder: Embedder | NoEmbedder | None = None
        self.index = NoteIndex(root, state.folder)
        self._asker = Ranker(lambda: self.embedder)
        self._lock = threading.RLock()
        self._loading = threading.Lock()
        self._keeper = IndexUpkeep(root, state.folder, lambda: self.embedder)
        self.references = References(state)

    @property
    def embedder(self) -> Embedder | NoEmbedder:
        """The source of vectors, or the reason for which there is none."""
        with self._loading:
            if self._embedder is None:
                self._embedder = self._load_embedder()
            return self._embedder

    @property
    def weights(self) -> RankingWeights:
        """The weights used for the last question."""
        return self._asker.weights

    def apart(self, root: WorkspaceRoot, state: StateDatabase) -> "Searcher":
        """A searcher for another folder with the same models and references. Its index begins as a copy of this one."""
        other = Searcher(root, state, lambda: self.embedder)
        other.references = self.references
        with self._lock, suppress(Unusable):  # without a copy it is made anew from the notes
            self.index.copy_to(other.index)
        return other

    def close(self) -> None:
        self._keeper.close()
        with self._lock:
            self.index.close()

    def search(self, request: SearchRequest, snapshot: Snapshot, stop: Stop = lambda: False) -> SearchAnswer:
        """Returns the best files for a query. Never raises because of the query, the notes or the index. `stop` tells
        that nobody waits for the answer any more; the result is then meaningless."""
        asked = question(request.text, operators=request.operators)
        with self._lock:
            if not asked.all_terms or request.n < 1:
                return SearchAnswer(query=request.text, hits=(), engine=SearchMethod.HYBRID)
            self.index.remarks.clear()
            try:
                spans = _spans(request, asked, snapshot)
                ranking, pending = self._ranked(request, asked, snapshot, spans, stop)
            except Unusable as problem:
                return self._plain(request, asked, snapshot, f"{NAME} {problem}", stop)
            if pending:
                reason = f"the index lacks {pending:,} files yet"
                return msgspec.structs.replace(self._plain(request, asked, snapshot, reason, stop), pending=pending)
            most = min(request.n, MOST)
            best = self._ordered(asked, ranking, snapshot, most + SPARE)
            return SearchAnswer(
                query=request.text,
                hits=hits(best, asked, snapshot, most),
                engine=SearchMethod.HYBRID if ranking.with_vectors else SearchMethod.LEXICAL,
                degraded=(*self.index.remarks, *ranking.remarks),
                words=literals(asked),
                spans=spans,
            )

    def ranked(self, request: SearchRequest, snapshot: Snapshot) -> tuple[tuple[str, ...], ...]:
        """The paths of each hit, its own and those of its copies, best first; empty if the index is not ready."""
        asked = question(request.text, operators=request.operators)
        with self._lock:
            try:
                spans = _spans(request, asked, snapshot)
                ranking, _ = self._ranked(request, asked, snapshot, spans, lambda: False)
            except Unusable:
                return ()
            best = self._ordered(asked, ranking, snapshot, request.n)
            return tuple((file.path, *(copy.path for copy in file.copies)) for file in best)

    def _ordered(self, asked: Query, ranking: Ranking, snapshot: Snapshot, most: int) -> list[RankedFile]:
        """At most `most` files in the order of the answer, with copies as one."""
        return folded(ordered(ranking.found, snapshot, self.references), asked, snapshot, most)

    def update(self, snapshot: Snapshot, *, rebuild: bool = False, tick: Tick | None = None) -> IndexReport:
        """Brings everything in, however long it takes. Raises `MemdeckError` if no index can be opened."""
        with self._lock:
            self.index.remarks.clear()
            try:
                if rebuild:
                    self.index.rebuild()
                done = self.index.update(snapshot, self.embedder, tick=tick)
                if self.index.written:
                    self._embed(snapshot, tick)
                return self.index.report(done, self.embedder)
            except Unusable as problem:
                raise MemdeckError(f"the index {problem}", where=NAME, hint="searching works without it") from problem

    def keep(self, snapshot: Snapshot, seconds: float, tick: Tick | None = None) -> IndexState:
        """Works on the index for about `seconds`, in the background: no search waits for it."""
        return self._keeper.keep(snapshot, seconds, tick) if self.index.written else IndexState()

    def more_like_this(self, path: str, n: int, snapshot: Snapshot) -> SearchAnswer:
        """Files similar to one of them, by its title and its most frequent words."""
        path = real_path(path, snapshot.files)
        nothing = SearchAnswer(query=safe_name(path), hits=(), engine=SearchMethod.HYBRID)
        if path not in snapshot.files:
            return msgspec.structs.replace(nothing, degraded=("there is no such note",))
        try:
            words = telling_words(matter_of(snapshot.files[path], snapshot.content(path)))
        except MemdeckError as problem:
            return msgspec.structs.replace(nothing, degraded=(problem.message,))
        answer = self.search(SearchRequest(text=words, n=n + 1), snapshot)
        others = tuple(hit for hit in answer.hits if hit.path != path)[:n]
        return msgspec.structs.replace(answer, query=safe_name(path), hits=others)

    def _ranked(
        self, request: SearchRequest, asked: Query, snapshot: Snapshot, spans: tuple[DaySpan, ...], stop: Stop
    ) -> tuple[Ranking, int]:
        """The ranking, and the number of files that time did not allow; if there are any, the ranking is empty."""
        wanted = without_days(asked, spans)
        found = self.index.ask(
            snapshot,
            self.embedder,
            lambda database: self._asker.rank(database, request, wanted, spans),
            deadline=_either(time_limit(request.seconds), stop),
        )
        if isinstance(found, Ranking):
            return _with_paths(found, snapshot), 0
        return Ranking((), with_vectors=False), found.pending

    def _embed(self, snapshot: Snapshot, tick: Tick | None) -> None:
        embedder = self.embedder
        if isinstance(embedder, NoEmbedder):
            return
        try:
            self.index.use(lambda db: embed_all(db, snapshot, embedder, tick=tick))
        except EmbeddingFailed as error:
            self.index.remarks.append(f"some vectors are not made: {error}")

    def _plain(self, request: SearchRequest, asked: Query, snapshot: Snapshot, reason: str, stop: Stop) -> SearchAnswer:
        paths = [path for path, facts in snapshot.files.items() if _allowed(request, path, facts.date.day)]
        root = Path(snapshot.workspace.path)
        answer = plain_search(snapshot, root, asked, paths, _either(time_limit(PLAIN_SECONDS), stop))
        how = "searched with ripgrep" if answer.engine is SearchMethod.RIPGREP else "searched file by file"
        return SearchAnswer(
            query=request.text,
            hits=hits(ordered(answer.found, snapshot, self.references), asked, snapshot, min(request.n, MOST)),
            engine=answer.engine,
            degraded=(*self.index.remarks, f"{how}: {reason}", *((answer.remark,) if answer.remark else ())),
            words=literals(asked),
        )


def _with_paths(ranking: Ranking, snapshot: Snapshot) -> Ranking:
    """The ranking with real paths in place of the index's names."""
    if not any(MARK in file.path for file in ranking.found):
        return ranking
    found = (msgspec.structs.replace(file, path=real_path(file.path, snapshot.files)) for file in ranking.found)
    return msgspec.structs.replace(ranking, found=tuple(found))


def without_days(asked: Query, spans: Sequence[DaySpan]) -> Query:
    """The query without the words that mean days, if others are left: notes seldom mention their own day."""
    text = asked.text
    for span in spans:
        text = text.replace(span.text, " ")
    left = question(text) if spans else asked
    return left if left.all_terms else asked


def _spans(request: SearchRequest, asked: Query, snapshot: Snapshot) -> tuple[DaySpan, ...]:
    """The days in a query; none if operators or date filters already restrict the files."""
    if not request.dates or request.operators or request.since is not None or request.until is not None:
        return ()
    noted = frozenset(facts.date.day for facts in snapshot.files.values() if not facts.date.low_confidence)
    return spans_in(asked.text, request.seen_from or snapshot.taken_at.date(), noted)


def _either(one: Stop, other: Stop) -> Stop:
    return lambda: one() or other()


def _allowed(request: SearchRequest, path: str, day: date) -> bool:
    if request.category is not None and category_of(path) is not request.category:
        return False
    return (request.since is None or day >= request.since) and (request.until is None or day <= request.until)
