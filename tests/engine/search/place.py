"""A workspace to search in, and embedders that need no model."""

import errno
import hashlib
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.search.searcher import Searcher
from engine.search.values import Category, IndexReport, SearchAnswer, SearchRequest
from engine.state.database import StateDatabase
from engine.text.arrays import unit
from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
NONE = NoEmbedder("none here")


class HashEmbedder:
    """Each word's own direction, by its hash; words in `same` share one. `calls` keeps every text."""

    def __init__(
        self,
        *,
        quick: bool = True,
        name: str = "hash",
        same: dict[str, str] | None = None,
        later: Embedder | None = None,
    ) -> None:
        self.later = later
        self.id = name
        self.dimensions = 64
        self.quick = quick
        self.weight = 1.5
        self.calls: list[str] = []
        self.fails = False
        self._same = same or {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fails:
            raise EmbeddingFailed("the model is asleep")
        self.calls += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row += self._direction(self._same.get(word, word))
        return unit(rows)

    def _direction(self, word: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:4], "big")
        return np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)


class SearchPlace:
    """A workspace in a temporary folder, and consoles that search it, each with its own searcher."""

    def __init__(self, base: Path, embedder: Embedder | NoEmbedder = NONE) -> None:
        self.folder = base / "workspace"
        self.state = base / "state"
        for folder in (self.folder, self.state):
            folder.mkdir(parents=True, exist_ok=True)
        self.database = self.folder / "memory.db"
        self.root = WorkspaceRoot.open(self.folder)
        self.embedder = embedder
        self.searchers: list[Searcher] = []
        self.searcher = self.another()

    def another(self, embedder: Embedder | NoEmbedder | None = None) -> Searcher:
        """What a second console on the same workspace has."""
        chosen = self.embedder if embedder is None else embedder
        self.searchers.append(Searcher(self.root, StateDatabase(self.state), lambda: chosen))
        return self.searchers[-1]

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def snapshot(self) -> Snapshot:
        scanner = Scanner(self.root, cache_file=self.state / "scan", counter=counter("words*1.3"), zone="UTC")
        return scanner.scan(NOW)

    def search(
        self,
        text: str,
        n: int = 10,
        category: Category | None = None,
        *,
        operators: bool = False,
        merge: str = "adaptive",
        seconds: float | None = None,
        searcher: Searcher | None = None,
    ) -> SearchAnswer:
        request = SearchRequest(text=text, n=n, category=category, operators=operators, merge=merge, seconds=seconds)
        return (searcher or self.searcher).search(request, self.snapshot())

    def paths(self, text: str, n: int = 10, *, operators: bool = False) -> list[str]:
        return [hit.path for hit in self.search(text, n, operators=operators).hits]

    def update(self, *, rebuild: bool = False) -> IndexReport:
        return self.searcher.update(self.snapshot(), rebuild=rebuild)

    def close(self) -> None:
        for searcher in self.searchers:
            searcher.close()
        self.root.close()


class FullDisk:
    """Lets so many writes of a file through, then says that the disk is full until `has_room`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
        self.left, self.has_room = left, False
        self._write = os.pwrite
        monkeypatch.setattr(os, "pwrite", self)

    def __call__(self, fd: int, data: bytes | memoryview, offset: int) -> int:
        self.left -= 1
        if self.left < 0 and not self.has_room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._write(fd, data, offset)


MakePlace = Callable[..., SearchPlace]
