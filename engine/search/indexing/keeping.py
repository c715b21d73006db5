"""Keeps an index fresh beside the searches: a slice of work at a time, so that it can be stopped and goes on later.

It has the index open for itself. Searching waits for nothing of it but the moment of a commit, however long a model
takes for a batch of texts.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.search.embedding.embedder import Embedder, EmbeddingFailed, Missing
from engine.search.indexing.background import embed_lacking, lacking
from engine.search.indexing.index import Index
from engine.search.indexing.update import Tick, time_limit
from engine.search.store.schema import Database, Unusable
from engine.search.values import Standing
from engine.workspace.paths import Root
from engine.workspace.snapshot import Snapshot

CLOSING_SECONDS = 2.0
"""How long closing waits for a batch that is under way; what it would have brought is made again next time."""


class IndexKeeper:
    """Brings in what changed, then makes vectors that are lacking. To be used by one thread beside the searches'."""

    def __init__(self, root: Root, state: Path, embedder: Callable[[], Embedder | Missing]) -> None:
        self._index = Index(root, state)
        self._embedder = embedder
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def keep(self, snapshot: Snapshot, seconds: float, tick: Tick | None = None) -> Standing:
        """Works for about so long; never raises for what the index or the embedder does. `tick` may raise."""
        with self._lock:
            if self._closing.is_set():
                return Standing()
            try:
                return self._keep(snapshot, self._deadline(seconds), tick)
            except Unusable as problem:
                return Standing(problem=str(problem))
            except EmbeddingFailed as problem:
                standing = self._index.use(self._standing)
                return msgspec.structs.replace(standing, problem=f"some vectors are not made: {problem}")

    def _keep(self, snapshot: Snapshot, deadline: Callable[[], bool], tick: Tick | None) -> Standing:
        embedder = self._embedder()
        done = self._index.update(snapshot, embedder, deadline=deadline, tick=tick)
        if not done.pending and not isinstance(embedder, Missing) and not deadline():
            self._index.use(lambda db: embed_lacking(db, snapshot, embedder, deadline=deadline, tick=tick))
        return msgspec.structs.replace(self._index.use(self._standing), pending=done.pending)

    def _standing(self, database: Database) -> Standing:
        embedder = self._embedder()
        name = "" if isinstance(embedder, Missing) else embedder.id
        with database.transaction():
            files, chunks = database.rows("SELECT count(*), coalesce(sum(count), 0) FROM files")[0]
            missing = sum(count for *_, count in lacking(database, name)) if name else 0
        return Standing(files=int(files), chunks=int(chunks), lacking=missing, embedder=name)

    def _deadline(self, seconds: float) -> Callable[[], bool]:
        over = time_limit(seconds, time.monotonic)
        return lambda: over() or self._closing.is_set()

    def close(self) -> None:
        """Asks work under way to stop at its next step, and closes the index."""
        self._closing.set()
        if self._lock.acquire(timeout=CLOSING_SECONDS):
            self._index.close()
            self._lock.release()
