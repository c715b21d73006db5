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
    """A query with its filters, under a name."""

    name: str
    query: str
    category: Category | None = None
    since: date | None = None
    until: date | None = None
    operators: bool = False
    days: bool = True  # days in the query count


class SavedSearches:
    """The kept searches of one workspace, by name in alphabetical order. Read anew each time: they are few."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.SAVED_SEARCHES)

    def all(self) -> tuple[SavedSearch, ...]:
        """`Damaged` where they cannot be read."""
        found = self._table.values(SavedSearch)
        if self._table.database.problem:
            problem = f"the saved searches cannot be read: {self._table.database.problem}"
            raise Damaged(problem, where=str(self._table.database.file), hint="memdeck recover")
        return tuple(sorted(found.values(), key=lambda one: one.name.casefold()))

    def find(self, name: str) -> SavedSearch:
        """The search of that name; `UsageError` names those there are."""
        found = self.all()
        if (search := next((one for one in found if one.name == name), None)) is not None:
            return search
        names = ", ".join(one.name for one in found[:8]) or "none is saved"
        raise UsageError("no saved search of that name", where=name, hint=f"there are: {names}")

    def keep(self, search: SavedSearch) -> None:
        """Keeps a search, in place of one of the same name. On disk when this returns."""
        name = " ".join(search.name.split())
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise UsageError(f"a name has 1 to {LONGEST_NAME} printable characters", where=search.name)
        with self._table.change() as rows:
            if len(rows.all().keys() - {name}) >= MOST:
                raise UsageError(f"{MOST} searches are saved already", where=name, hint="forget one first")
            rows.put(name, msgspec.json.encode(msgspec.structs.replace(search, name=name)))

    def forget(self, name: str) -> None:
        """Takes a saved search away; `UsageError` where there is none of that name."""
        self.find(name)
        with self._table.change() as rows:
            rows.drop(name)
