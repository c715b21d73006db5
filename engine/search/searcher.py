"""One question, one answer: brings the index up to date, asks words and vectors, and says what answered."""

import threading
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import MemdeckError
from engine.search.background import embed_lacking
from engine.search.category import category_of
from engine.search.embedding import Embedder, EmbeddingFailed, Missing
from engine.search.index import Index
from engine.search.lexical import lexical
from engine.search.matter import matter_of, telling_words, title_of
from engine.search.merge import MERGES
from engine.search.plain import plain_search
from engine.search.question import Question, question
from engine.search.ranking import TIE, Scored, recency, scored
from engine.search.references import References
from engine.search.schema import Database, Unusable
from engine.search.snippet import place
from engine.search.update import Tick, time_limit
from engine.search.values import NAME, Answer, Engine, Hit, IndexReport, Request
from engine.search.vectors import Layout, Matrix, layout
from engine.workspace.document import split_lines
from engine.workspace.paths import Root
from engine.workspace.snapshot import Snapshot
from engine.workspace.text_safety import visible_line

PLAIN_SECONDS = 10.0
MOST = 1_000


class Searcher:
    """Search in one workspace. Safe to use from several threads: they wait for each other.

    `load_embedder` is called when vectors are first needed, since reading a model takes a moment.
    """

    def __init__(self, root: Root, state: Path, load_embedder: Callable[[], Embedder | Missing]) -> None:
        self._root = root
        self._load_embedder = load_embedder
        self._embedder: Embedder | Missing | None = None
        self._index = Index(root, state)
        self._lock = threading.RLock()
        self._layout: tuple[str, Layout] | None = None
        self._matrix: Matrix | None = None
        self.references = References(state / "references.json")

    @property
    def embedder(self) -> Embedder | Missing:
        if self._embedder is None:
            self._embedder = self._load_embedder()
        return self._embedder

    def close(self) -> None:
        with self._lock:
            self._index.close()

    def search(self, request: Request, snapshot: Snapshot) -> Answer:
        """The best files for a query. Never raises for anything in the query, the notes or the index."""
        asked = question(request.text, operators=request.operators)
        with self._lock:
            if not asked.all_terms:
                return Answer(query=request.text, hits=(), engine=Engine.HYBRID)
            try:
                return self._indexed(request, asked, snapshot)
            except Unusable as problem:
                return self._plain(request, asked, snapshot, f"{NAME} {problem}")

    def update(self, snapshot: Snapshot, *, rebuild: bool = False, tick: Tick | None = None) -> IndexReport:
        """Brings everything in, however long it takes; raises `MemdeckError` where no index can be had."""
        with self._lock:
            self._index.remarks.clear()
            try:
                if rebuild:
                    self._index.rebuild()
                done = self._index.update(snapshot, self.embedder, tick=tick)
                self._embed(snapshot, time_limit(None), tick)
                return self._index.report(done, self.embedder)
            except Unusable as problem:
                raise MemdeckError(f"the index {problem}", where=NAME, hint="searching works without it") from problem

    def embed_some(self, snapshot: Snapshot, seconds: float, tick: Tick | None = None) -> int:
        """Makes vectors that are lacking for so long; gives the number of chunks that still lack them."""
        with self._lock:
            try:
                return self._embed(snapshot, time_limit(seconds), tick)
            except Unusable:
                return 0

    def _embed(self, snapshot: Snapshot, deadline: Callable[[], bool], tick: Tick | None) -> int:
        embedder = self.embedder
        if isinstance(embedder, Missing):
            return 0
        try:
            return self._index.use(lambda db: embed_lacking(db, snapshot, embedder, deadline=deadline, tick=tick))
        except EmbeddingFailed as error:
            self._index.remarks.append(f"some vectors are not made: {error}")
            return 0

    def more_like_this(self, path: str, n: int, snapshot: Snapshot) -> Answer:
        """Files that are about the same as one of them: by its rarest words and its own vectors."""
        request = Request(text=path, n=n + 1)
        if path not in snapshot.files:
            return Answer(query=path, hits=(), engine=Engine.HYBRID, degraded=("there is no such note",))
        try:
            data = snapshot.content(path)
            words = telling_words(matter_of(snapshot.files[path], data))
        except MemdeckError as problem:
            return Answer(query=path, hits=(), engine=Engine.HYBRID, degraded=(problem.message,))
        answer = self.search(msgspec.structs.replace(request, text=words), snapshot)
        hits = tuple(hit for hit in answer.hits if hit.path != path)[:n]
        return msgspec.structs.replace(answer, query=path, hits=hits)

    # ── with the index ─────────────────────────────────────────────────────────────────────────────────────────────

    def _indexed(self, request: Request, asked: Question, snapshot: Snapshot) -> Answer:
        self._index.remarks.clear()
        done = self._index.update(snapshot, self.embedder, deadline=time_limit(request.seconds))
        if done.pending:
            reason = f"the index lacks {done.pending:,} files yet: `memdeck index` brings them in"
            answer = self._plain(request, asked, snapshot, reason)
            return msgspec.structs.replace(answer, pending=done.pending)
        hits, remarks = self._index.use(lambda database: self._ask(database, request, asked, snapshot))
        hybrid = any(hit.vector is not None for hit in hits) or (not hits and not isinstance(self.embedder, Missing))
        return Answer(
            query=request.text,
            hits=hits,
            engine=Engine.HYBRID if hybrid else Engine.LEXICAL,
            degraded=(*self._index.remarks, *remarks),
        )

    def _ask(
        self, database: Database, request: Request, asked: Question, snapshot: Snapshot
    ) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        with database.transaction():
            words = lexical(database, asked, request.category)
            where, matrix = self._in_memory(database)
            meaning, remarks = self._meaning(matrix, asked)
            among = self._among(database, request, where)
            merge = MERGES.get(request.merge, MERGES["adaptive"])
            found = scored(words, where, meaning, merge, max(request.n, 1) * 3 + 20, among)
            rows = [self._row(database, where, one) for one in found]
        ordered = self._ordered(rows, snapshot)[: min(max(request.n, 0), MOST)]
        hits = (self._hit(one, path, title, span, asked, snapshot) for one, path, title, span in ordered)
        return tuple(hit for hit in hits if hit is not None), remarks

    def _in_memory(self, database: Database) -> tuple[Layout, Matrix | None]:
        """What is kept between searches, as of the index's present generation."""
        generation = f"{database.about('born')}/{database.about('generation')}"
        embedder = self.embedder
        if self._layout is None or self._layout[0] != generation:
            if self._layout is None or self._layout[0].split("/")[0] != generation.split("/")[0]:
                self._matrix = None
            self._layout = generation, layout(database)
            if isinstance(embedder, Missing):
                self._matrix = None
            else:
                if self._matrix is None or self._matrix.model != embedder.id:
                    self._matrix = Matrix(embedder.id, embedder.dimensions, centred=embedder.quick)
                self._matrix.refresh(database, self._layout[1])
        return self._layout[1], self._matrix

    def _meaning(self, matrix: Matrix | None, asked: Question) -> "tuple[tuple[Matrix, Any] | None, tuple[str, ...]]":
        embedder = self.embedder
        if isinstance(embedder, Missing) or matrix is None:
            reason = embedder.reason if isinstance(embedder, Missing) else "there are no vectors"
            return None, (f"words alone: {reason}",)
        try:
            query = embedder.embed([asked.text])[0]
        except EmbeddingFailed as error:
            return None, (f"words alone: {error}",)
        return (matrix, matrix.cosines(query)), ()

    def _among(self, database: Database, request: Request, where: Layout) -> "Any":
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

    def _row(self, database: Database, where: Layout, one: Scored) -> "Row":
        file = int(where.files[one.place])
        path, title = database.rows("SELECT path, title FROM files WHERE id = ?", (file,))[0]
        start, end = database.rows("SELECT start, end FROM chunks WHERE id = ?", (one.chunk,))[0]
        return one, str(path), str(title), (int(str(start)), int(str(end)))

    def _ordered(self, rows: "Sequence[Row]", snapshot: Snapshot) -> "list[Row]":
        """By score; ties by references and recency, then by path (decision D6)."""
        today = snapshot.taken_at.date()

        def key(row: "Row") -> tuple[float, float, str]:
            facts = snapshot.files.get(row[1])
            fresh = recency(facts.date.day, today) if facts else 0.0
            return -round(row[0].score, TIE), -fresh * self.references.boost(row[1]), row[1]

        return sorted(rows, key=key)

    def _hit(
        self, one: Scored, path: str, title: str, span: tuple[int, int], asked: Question, snapshot: Snapshot
    ) -> Hit | None:
        """A hit with its line and snippet from the note itself; None where the note is gone since."""
        facts = snapshot.files.get(path)
        if facts is None:
            return None
        try:
            lines = split_lines(snapshot.reader(path).decode("utf-8", "replace"))
        except MemdeckError:
            return None
        found = place(lines[span[0] - 1 : span[1]], span[0], asked)
        return Hit(
            path=path,
            category=category_of(path),
            title=visible_line(title),
            line=found.line,
            end_line=span[1],
            score=round(one.score, 6),
            bm25=round(one.bm25, 6),
            vector=None if one.cosine is None else round(one.cosine, 6),
            snippet=found.snippet,
            day=facts.date.day.isoformat(),
        )

    # ── without it ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _plain(self, request: Request, asked: Question, snapshot: Snapshot, reason: str) -> Answer:
        paths = [path for path, facts in snapshot.files.items() if _allowed(request, path, facts.date.day)]
        root = Path(snapshot.workspace.path)
        found = plain_search(snapshot, root, asked, paths, time_limit(PLAIN_SECONDS))
        hits = list[Hit]()
        for one in found.hits[: max(request.n, 0)]:
            row = Scored(0, one.share, one.share, None, 0)
            title, span = title_of(snapshot.files[one.path]), (one.line, one.line + 3)
            hit = self._hit(row, one.path, title, span, asked, snapshot)
            hits += [hit] if hit is not None else []
        how = "searched with ripgrep" if found.engine is Engine.RIPGREP else "searched file by file"
        degraded = (*self._index.remarks, f"{how}: {reason}", *((found.remark,) if found.remark else ()))
        return Answer(query=request.text, hits=tuple(hits), engine=found.engine, degraded=degraded)


def _allowed(request: Request, path: str, day: date) -> bool:
    if request.category is not None and category_of(path) is not request.category:
        return False
    return (request.since is None or day >= request.since) and (request.until is None or day <= request.until)


Row = tuple[Scored, str, str, tuple[int, int]]
