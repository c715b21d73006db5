"""The part of the fake engine that searches: a handful of notes, found by the words in them."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from engine.errors import MemdeckError, Refused
from engine.search.category import category_of
from engine.search.dates.days import spans_in
from engine.search.saved_searches import SavedSearch
from engine.search.values import Category, IndexState, SearchAnswer, SearchHit, SearchMethod
from engine.workspace.values import Progress

NOTES = {
    "memory/working/2026-03-02-deploy.md": ("# Deploy\n\n" + "some words\n" * 40 + "blue-green switch kept\nthe end\n"),
    "knowledge/people/ana.md": "# Ana\n\nAna runs the deploy on Fridays, never on a Monday.\n",
    "knowledge/projects/silas/decisions.md": "# Decisions\n\n- deploys are blue-green since March\n",
}


class FakeFinder:
    """Answers at once from `notes`. What was asked is kept in `queries`."""

    def __init__(self) -> None:
        super().__init__()
        self.notes = dict(NOTES)
        self.queries: list[tuple[str, Category | None, date | None, date | None]] = []
        self.useful: list[str] = []
        self.searches: dict[str, SavedSearch] = {}
        self.search_fails: MemdeckError | None = None
        self.search_engine = SearchMethod.HYBRID
        self.search_degraded: tuple[str, ...] = ()
        self.index_standing = IndexState(files=3, chunks=3, embedder="fake")

    has_index = True

    def search(
        self,
        query: str,
        n: int = 10,
        category: Category | None = None,
        *,
        operators: bool = False,
        since: date | None = None,
        until: date | None = None,
        dates: bool = True,
        seconds: float | None = 2.0,
        look: bool = True,
        stop: Callable[[], bool] = lambda: False,
    ) -> SearchAnswer:
        self.queries.append((query, category, since, until))
        if self.search_fails is not None:
            raise self.search_fails
        words = query.lower().split()
        hits = [
            self._hit(path, at, line)
            for path, text in self.notes.items()
            if category in (None, category_of(path))
            for at, line in [self._best(text, words)]
            if at
        ]
        return SearchAnswer(
            query=query,
            hits=tuple(hits[:n]),
            engine=self.search_engine,
            degraded=self.search_degraded,
            words=tuple(words),
            spans=spans_in(query, date(2026, 3, 15)) if dates else (),
        )

    @staticmethod
    def _best(text: str, words: list[str]) -> tuple[int, str]:
        for number, line in enumerate(text.split("\n"), 1):
            if any(word in line.lower() for word in words):
                return number, line
        return 0, ""

    @staticmethod
    def _hit(path: str, line: int, text: str) -> SearchHit:
        return SearchHit(
            path=path,
            category=category_of(path),
            title=Path(path).stem,
            line=line,
            end_line=line + 3,
            score=1.234,
            bm25=0.5,
            vector=0.25,
            words=0.984,
            meaning=0.25,
            snippet=text,
            day="2026-03-02",
        )

    def more_like_this(self, path: str, n: int = 10, *, look: bool = True) -> SearchAnswer:
        hits = tuple(self._hit(other, 1, "# like it") for other in self.notes if other != path)
        return SearchAnswer(query=path, hits=hits[:n], engine=SearchMethod.HYBRID)

    def keep_index(self, seconds: float, tick: Callable[[Progress], None] | None = None) -> IndexState:
        return self.index_standing

    def found_useful(self, path: str) -> None:
        self.useful.append(path)

    def file_to_edit(self, path: str) -> Path:
        if path not in self.notes:
            raise Refused("there is no such note any more", where=path)
        return Path("/home/ana/agents/silas") / path

    def saved_searches(self) -> tuple[SavedSearch, ...]:
        return tuple(sorted(self.searches.values(), key=lambda one: one.name))

    def save_search(self, search: SavedSearch) -> None:
        self.searches[search.name] = search

    def forget_search(self, name: str) -> None:
        del self.searches[name]
