"""Names the part of `engine.services.search.SearchService` that the search screen calls."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.search.saved_searches import SavedSearch
    from engine.search.values import Category, IndexState, SearchAnswer
    from engine.workspace.values import Progress


class SearchPort(Protocol):
    """Searches, keeps the index fresh, and keeps searches by name. Every call may block."""

    @property
    def has_index(self) -> bool: ...
    def search(
        self,
        query: str,
        n: int = 10,
        category: "Category | None" = None,
        *,
        operators: bool = False,
        since: date | None = None,
        until: date | None = None,
        seconds: float | None = 2.0,
        look: bool = True,
        stop: Callable[[], bool] = ...,
    ) -> "SearchAnswer": ...
    def more_like_this(self, path: str, n: int = 10, *, look: bool = True) -> "SearchAnswer": ...
    def keep_index(self, seconds: float, tick: "Callable[[Progress], None] | None" = None) -> "IndexState": ...
    def found_useful(self, path: str) -> None: ...
    def file_to_edit(self, path: str) -> Path: ...
    def saved_searches(self) -> "tuple[SavedSearch, ...]": ...
    def save_search(self, search: "SavedSearch") -> None: ...
    def forget_search(self, name: str) -> None: ...
