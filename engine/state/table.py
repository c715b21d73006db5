"""One table of `state.db`, as the module of its kind of fact uses it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import msgspec

from engine.errors import Damaged, Refused
from engine.state.database import StateDatabase
from engine.state.rows import TITLES, TableRows

T = TypeVar("T")


class Table:
    """TableRows that outlive the process. Every change is a transaction: what another process wrote before stays."""

    def __init__(self, database: StateDatabase, name: str) -> None:
        self.database = database
        self.name = name

    def read(self, ask: Callable[[TableRows], T], nothing: T) -> T:
        """Gives the answer of `ask`; `nothing` where the database cannot be read, which then tells its problem."""
        return self.database.read(lambda connection: ask(TableRows(connection, self.name)), nothing)

    def values(self, kind: type[T], least: str = "") -> dict[str, T]:
        """Every row, oldest key first, or those whose keys are not below `least`; none where nothing can be read."""
        altered = 0

        def ask(rows: TableRows) -> dict[str, T]:
            nonlocal altered
            found = rows.values(kind, least)
            altered = rows.altered
            return found

        nothing: dict[str, T] = {}
        found = self.read(ask, nothing)
        if altered:
            self.database.problem = f"{altered} of the {TITLES[self.name]} are not as they were written"
        return found

    def get(self, key: str, kind: type[T]) -> T | None:
        """Gives the value of one key; None where there is none, or none that can be read."""

        def ask(rows: TableRows) -> T | None:
            body = rows.get(key)
            try:
                return msgspec.json.decode(body, type=kind) if body is not None else None
            except (msgspec.DecodeError, RecursionError):
                return None

        return self.read(ask, None)

    def extent(self) -> tuple[int, int]:
        """The highest number of a row and their count: it differs once a row came or went, and is quick to ask."""
        return self.read(TableRows.extent, (0, 0))

    @contextmanager
    def change(self) -> Iterator[TableRows]:
        """The rows, to be read and changed in one transaction. Raises as `StateDatabase.transaction`."""
        with self.database.transaction() as connection:
            yield TableRows(connection, self.name)

    def keep(self, key: str, body: bytes) -> None:
        """Writes one row. Passed over where nothing is written (read-only) or can be, which the status tells."""
        with suppress(Damaged, Refused), self.change() as rows:
            rows.put(key, body)
