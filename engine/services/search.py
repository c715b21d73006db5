"""Serves searches, and keeps the index fresh."""

import stat
import threading
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Refused
from engine.search.embedding.choice import load_embedder
from engine.search.embedding.settings import EmbeddingSettings
from engine.search.saved_searches import SavedSearch, SavedSearches
from engine.search.values import NAME, SECONDS, Category, IndexReport, IndexState, SearchAnswer, SearchRequest
from engine.services.wiring import Wiring
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.search.evaluation.report import EvaluationReport
    from engine.search.searcher import Searcher


def _nobody_stops() -> bool:
    return False


class SearchService:
    """The part of `Console` that finds. Writes `memory.db`, and the operator's state folder."""

    _parts: Wiring
    _busy: threading.RLock
    _env: Mapping[str, str]
    _snapshot: Snapshot | None
    _search: "Searcher | None" = None

    def search(
        self,
        query: str,
        n: int = 10,
        category: Category | None = None,
        *,
        operators: bool = False,
        since: date | None = None,
        until: date | None = None,
        seconds: float | None = SECONDS,
        look: bool = True,
        stop: Callable[[], bool] = _nobody_stops,
        tick: Tick | None = None,
    ) -> SearchAnswer:
        """The best files for any query; what answered, and what was amiss, is in the answer.

        `look`: list the workspace first; a console that watches it already has what changed. `seconds` bounds the time
        for bringing changed files in; `stop` says that nobody waits for the answer any more.
        """
        request = SearchRequest(
            text=query,
            n=n,
            category=category,
            operators=operators,
            since=since,
            until=until,
            seconds=seconds,
            merge=self._parts.policy.search.merge,
        )
        return self._searcher().search(request, self._fresh(look, tick), stop)

    def more_like_this(self, path: str, n: int = 10, *, look: bool = True) -> SearchAnswer:
        """Files that are about the same as one of them, itself left out."""
        return self._searcher().more_like_this(path, n, self._fresh(look))

    def index(self, *, rebuild: bool = False, tick: Tick | None = None) -> IndexReport:
        """Brings the search index up to date, vectors that are made in the background included.

        What was brought in before `tick` raised `Cancelled` stays: the next call goes on from there.
        """
        return self._searcher().update(self._fresh(look=True, tick=tick), rebuild=rebuild, tick=tick)

    def keep_index(self, seconds: float, tick: Tick | None = None) -> IndexState:
        """Works on the index in the background for about so long: changed files first, then vectors that are lacking.

        Searches go on meanwhile. Looks at the workspace as the watcher last left it.
        """
        return self._searcher().keep(self._fresh(look=False), seconds, tick)

    @property
    def has_index(self) -> bool:
        """Tells whether there is an index to keep fresh: it is made by the first search, never unasked."""
        return self._search is not None or self._parts.root.lstat(NAME) is not None

    def found_useful(self, path: str) -> None:
        """Counts that the operator opened what a search found (decision D6)."""
        self._searcher().references.add(path)

    def file_to_edit(self, path: str) -> Path:
        """A note's real path for an editor; `Refused` where it is no regular file, or lies behind a link (G15)."""
        facts = self._parts.root.lstat(path)
        if facts is None or not stat.S_ISREG(facts.st_mode):
            raise Refused("there is no such note any more", where=path)
        return Path(self._parts.root.identity.path) / path

    # ── saved searches ─────────────────────────────────────────────────────────────────────────────────────────────

    def saved_searches(self) -> tuple[SavedSearch, ...]:
        """The operator's saved searches for this workspace, by name."""
        return self._saved().all()

    def saved_search(self, name: str) -> SavedSearch:
        """One of them; `UsageError` where there is none of that name."""
        return self._saved().find(name)

    def save_search(self, search: SavedSearch) -> None:
        """Keeps a search under its name, in place of one of the same name."""
        self._saved().keep(search)

    def forget_search(self, name: str) -> None:
        """Takes a saved search away."""
        self._saved().forget(name)

    def evaluate_search(
        self, folder: Path, base: Path, questions: Path | None = None, *, tick: Tick | None = None
    ) -> "EvaluationReport":
        """Search, as the policy has it, measured on a folder's questions; `base` is an empty folder for copies."""
        from engine.search.evaluation.report import evaluate

        return evaluate(folder, base, lambda: load_embedder(self._wish()), questions=questions, tick=tick)

    def _saved(self) -> SavedSearches:
        return SavedSearches(self._parts.database)

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _fresh(self, look: bool, tick: Tick | None = None) -> Snapshot:
        """The workspace as it is now, or as the watcher last left it, which waits for no dry run."""
        held = self._snapshot
        if not look and held is not None:
            return held
        with self._busy:
            if look or self._snapshot is None:
                self._snapshot = self._parts.scanner.scan(self._parts.now(), tick=tick)
            return self._snapshot

    def _searcher(self) -> "Searcher":
        if self._search is not None:
            return self._search
        with self._busy:
            if self._search is None:
                from engine.search.searcher import Searcher

                database = self._parts.database
                self._search = Searcher(self._parts.root, database, lambda: load_embedder(self._wish()))
            return self._search

    def _wish(self) -> EmbeddingSettings:
        search = self._parts.policy.search
        return EmbeddingSettings(
            embedder=search.embedder,
            model=search.model,
            url=search.url,
            key=self._env.get(search.key_variable, ""),
            usd_per_million_tokens=search.usd_per_million_tokens,
            max_usd=search.max_usd,
            ledger=self._parts.state.path / "ledger.jsonl",
            now=self._parts.real_clock,
        )
