"""Search for the front ends, with the index and the saved searches."""

import stat
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.errors import MemdeckError, Refused
from engine.search.embedding.embedder import EmbeddingSettings, NoEmbedder, load_embedder
from engine.search.naming import safe_name
from engine.search.saved_searches import SavedSearches
from engine.search.values import NAME, SECONDS, Category, IndexReport, IndexState, SearchAnswer, SearchRequest
from engine.services.open_workspace import OpenWorkspace
from engine.text.document import shown_text
from engine.text.secrets.detector import redact
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.search.evaluation.report import EvaluationReport
    from engine.search.searcher import Searcher
    from engine.services.references import ReferenceService


class SearchService:
    """Finds notes. Writes `memory.db` and the operator's state folder."""

    def __init__(self, opened: OpenWorkspace, references: "ReferenceService") -> None:
        self._opened, self._references = opened, references
        self._searcher: Searcher | None = None
        self.writes = not opened.database.read_only
        self.words_only = False  # loads no model: the short process of a hook has no time for it

    def find(
        self,
        query: str,
        n: int = 10,
        category: Category | None = None,
        *,
        operators: bool = False,
        since: date | None = None,
        until: date | None = None,
        dates: bool = True,
        seconds: float | None = SECONDS,
        look: bool = True,
        pieces: int = 0,
        stop: Callable[[], bool] = lambda: False,
        tick: Tick | None = None,
    ) -> SearchAnswer:
        """Finds the best files for a query. `dates`: files near the query's days come first. `look`: scans first.
        `seconds` limits indexing; `stop`: nobody waits. `pieces`: places that each hit names."""
        request = SearchRequest(
            text=query,
            n=n,
            category=category,
            operators=operators,
            since=since,
            until=until,
            dates=dates,
            seconds=seconds,
            pieces=pieces,
            merge=self._opened.policy.search.merge,
        )
        snapshot = self._opened.fresh(look, tick)
        return self._marked(self._opened_searcher().search(request, snapshot, stop), snapshot)

    def _marked(self, answer: SearchAnswer, snapshot: Snapshot) -> SearchAnswer:
        if self.words_only:  # a hook has no time to read what holds
            return answer
        return replace(answer, hits=tuple(self._opened.older.marked_hit(hit, snapshot) for hit in answer.hits))

    def more_like_this(self, path: str, n: int = 10, *, look: bool = True) -> SearchAnswer:
        """Finds files that are similar to a file, without itself."""
        snapshot = self._opened.fresh(look)
        return self._marked(self._opened_searcher().more_like_this(path, n, snapshot), snapshot)

    def index(self, *, rebuild: bool = False, tick: Tick | None = None) -> IndexReport:
        """Updates the search index and its vectors; what was indexed before `Cancelled` stays."""
        return self._opened_searcher().update(self._opened.fresh(look=True, tick=tick), rebuild=rebuild, tick=tick)

    def keep_index(self, seconds: float, tick: Tick | None = None) -> IndexState:
        """Updates the index in the background for about `seconds`: changed files, then missing vectors."""
        return self._opened_searcher().keep(self._opened.fresh(look=False), seconds, tick)

    @property
    def has_index(self) -> bool:
        """Tells whether there is an index to update; only a search makes one."""
        return self._searcher is not None or self._opened.root.lstat(NAME) is not None

    def found_useful(self, path: str) -> None:
        """Counts that the operator opened a search result (decisions D6, D46)."""
        self._opened_searcher().references.add(path)
        self._references.opened(path)

    def note(self, path: str) -> tuple[str, ...]:
        """Gives a found note's lines, without secrets, with the index's line numbers (promise F1)."""
        from engine.plans.diff import split_lines

        try:
            text = shown_text(self._opened.root.read(path))
        except MemdeckError as error:
            raise Refused(redact(error.message), where=safe_name(path)) from error
        return tuple(split_lines(redact(text, keep_lines=True)))

    def file_of(self, path: str) -> Path:
        """Gives a note's real path for another program; `Refused` for all but a regular file without links (G15)."""
        root = self._opened.root
        facts = None if root.is_outside(path) else root.lstat(path)
        if facts is None or not stat.S_ISREG(facts.st_mode):
            raise Refused("there is no such note in the workspace", where=safe_name(path))
        return Path(root.identity.path) / path

    @property
    def saved(self) -> SavedSearches:
        return SavedSearches(self._opened.database)

    def evaluate(
        self, folders: Sequence[Path], base: Path, questions: Path | None = None, *, tick: Tick | None = None
    ) -> "EvaluationReport":
        """Measures search by the folders' questions, as the policy has it; `base` is an empty folder for copies."""
        from engine.search.evaluation.report import evaluate

        return evaluate(folders, base, lambda: load_embedder(self._settings()), questions=questions, tick=tick)

    def apart(self, opened: OpenWorkspace) -> "SearchService":
        """Gives the search over another state of the same notes; its index begins as a copy."""
        other = SearchService(opened, self._references)
        other._searcher = self._opened_searcher().apart(opened.root, opened.database)
        return other

    def close(self) -> None:
        if self._searcher is not None:
            self._searcher.close()

    def _opened_searcher(self) -> "Searcher":
        if self._searcher is not None:
            return self._searcher
        with self._opened.lock:
            if self._searcher is None:
                from engine.search.searcher import Searcher

                opened, none = self._opened, NoEmbedder("by words alone")
                self._searcher = Searcher(
                    opened.root, opened.database, lambda: none if self.words_only else load_embedder(self._settings())
                )
                self._searcher.index.written = self.writes
            return self._searcher

    def _settings(self) -> EmbeddingSettings:
        search = self._opened.policy.search
        return EmbeddingSettings(
            embedder="auto" if search.embedder == "transformer" else search.embedder,
            model=search.model,
            url=search.url,
            key=self._opened.env.get(search.key_variable, ""),
            usd_per_million_tokens=search.usd_per_million_tokens,
            max_usd=search.max_usd,
            ledger=self._opened.state.ledger,
            now=self._opened.real_clock,
        )
