"""The search index for a program that runs an agent (autopoiesis §7, §9.2)."""

import asyncio

from engine.errors import Refused
from engine.search.category import category_of
from engine.search.values import Category, IndexReport
from engine.services.engine import Engine
from engine.services.runtime.tools import SearchResult, found


class SearchIndex:
    """The index of the workspace's notes. It holds what stands in the files and nothing else."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def index_file(self, path: str, content: str, category: str) -> IndexReport:
        """Brings a note in that was written; `Refused` where the file or its category is another than given."""
        if category_of(path) is not Category(category):
            raise Refused(f"its place makes it {category_of(path).value}, not {category}", where=path)
        if await asyncio.to_thread(self._engine.proposals.note, path) != content.encode("utf-8"):
            raise Refused("the note says something else: the index holds notes alone", where=path)
        return await asyncio.to_thread(self._engine.search.index)

    def remove_file(self, path: str) -> IndexReport:
        """Takes a note out that is gone; `Refused` while it is there."""
        if self._engine.history.is_there(path):
            raise Refused("the note is there, so it stays in the index", where=path)
        return self._engine.search.index()

    async def search(self, query: str, limit: int = 10, category: str | None = None) -> list[SearchResult]:
        """Finds notes and conversations, best first."""
        kind = Category(category) if category is not None else None
        return await asyncio.to_thread(found, self._engine, query, limit, kind)

    async def rebuild_full(self) -> IndexReport:
        """Makes the index anew from all notes and conversations of the workspace."""
        return await asyncio.to_thread(lambda: self._engine.search.index(rebuild=True))
