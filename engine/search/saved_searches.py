"""Keeps searches by name in the operator's own state: nothing of them lies in the workspace."""

from datetime import date

import msgspec

from engine.errors import Damaged, UsageError
from engine.search.values import Category
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table

MOST = 200  # searches that one operator may save
LONGEST_NAME = 60  # characters of a saved search's name, which is shown in one line


class SavedSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A query with its filters, saved under a name."""

    name: str
    query: str
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    operators: bool = False
    days: bool = True  # days in the query count


class SavedSearches:
    """The saved searches of one workspace, in alphabetical order of their names. Reread each time: they are few."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.SAVED_SEARCHES)

    def all(self) -> tuple[SavedSearch, ...]:
        """Raises `Damaged` if they cannot be read."""
        found = self._table.values(SavedSearch)
        if self._table.database.problem:
            problem = f"the saved searches cannot be read: {self._table.database.problem}"
            raise Damaged(problem, where=str(self._table.database.file), hint="memdeck recover")
        return tuple(sorted(found.values(), key=lambda search: search.name.casefold()))

    def find(self, name: str) -> SavedSearch:
        """Returns the search with that name. `UsageError` names the existing ones."""
        found = self.all()
        if (search := next((search for search in found if search.name == name), None)) is not None:
            return search
        names = ", ".join(search.name for search in found[:8]) or "none is saved"
        raise UsageError("no saved search of that name", where=name, hint=f"there are: {names}")

    def keep(self, search: SavedSearch) -> None:
        """Saves a search and replaces one of the same name. It is on disk when this returns."""
        name = " ".join(search.name.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise UsageError(f"a name has 1 to {LONGEST_NAME} printable characters", where=search.name)
        with self._table.change() as rows:
            if len(rows.all().keys() - {name}) >= MOST:
                raise UsageError(f"{MOST} searches are saved already", where=name, hint="forget one first")
            rows.put(name, msgspec.json.encode(msgspec.structs.replace(search, name=name)))

    def forget(self, name: str) -> None:
        """Deletes a saved search. Raises `UsageError` if none has that name."""
        self.find(name)
        with self._table.change() as rows:
            rows.drop(name)
