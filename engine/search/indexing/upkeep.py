"""Keeps an index fresh beside the searches: a slice of work at a time, so that it can be stopped and goes on later. It
has the index open for itself. Searching waits for nothing of it but the moment of a commit, however long a model takes
for a batch of texts."""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.search.indexing.index import NoteIndex
from engine.search.indexing.slow_vectors import counted, embed_lacking
from engine.search.indexing.update import time_limit
from engine.search.store.schema import Database, Unusable
from engine.search.values import IndexState
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

CLOSING_SECONDS = 2.0
"""Seconds for which closing waits for a batch that is under way; what it would have brought is made again next time."""


class IndexUpkeep:
    """Brings in what changed, then makes vectors that are lacking. To be used by one thread beside the searches'."""

    def __init__(self, root: WorkspaceRoot, state: Path, embedder: Callable[[], Embedder | NoEmbedder]) -> None:
        self._index = NoteIndex(root, state)
        self._embedder = embedder
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def keep(self, snapshot: Snapshot, seconds: float, tick: Tick | None = None) -> IndexState:
        """Works for about so long; never raises for what the index or the embedder does. `tick` may raise."""
        with self._lock:
            if self._closing.is_set():
                return IndexState()
            over = time_limit(seconds)
            try:
                return self._keep(snapshot, lambda: over() or self._closing.is_set(), tick)
            except Unusable as problem:
                return IndexState(problem=str(problem))
            except EmbeddingFailed as problem:
                standing = self._index.use(self._standing)
                return msgspec.structs.replace(standing, problem=f"some vectors are not made: {problem}")

    def _keep(self, snapshot: Snapshot, deadline: Callable[[], bool], tick: Tick | None) -> IndexState:
        embedder = self._embedder()
        done = self._index.update(snapshot, embedder, deadline=deadline, tick=tick)
        if not done.pending and not isinstance(embedder, NoEmbedder) and not deadline():
            self._index.use(lambda db: embed_lacking(db, snapshot, embedder, deadline=deadline, tick=tick))
        return msgspec.structs.replace(self._index.use(self._standing), pending=done.pending)

    def _standing(self, database: Database) -> IndexState:
        embedder = self._embedder()
        name = "" if isinstance(embedder, NoEmbedder) else embedder.id
        files, chunks, missing = counted(database, name)
        return IndexState(files=files, chunks=chunks, lacking=missing, embedder=name)

    def close(self) -> None:
        """Asks work under way to stop at its next step, and closes the index."""
        self._closing.set()
        if self._lock.acquire(timeout=CLOSING_SECONDS):
            self._index.close()
            self._lock.release()
