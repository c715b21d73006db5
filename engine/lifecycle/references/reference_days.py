"""Keeps on which days each file was of use, and how: in the operator's state, one row for each file (decision D46)."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import date
from enum import StrEnum

import msgspec

from engine.errors import MemdeckError
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table, TableRows

MOST_FILES = 20_000  # files of which days are kept; those that were first of use go first
MOST_DAYS = 400  # days of one file, the newest

Days = dict[str, tuple[str, ...]]  # the kinds of references of each day, by the day as ISO text


class ReferenceKind(StrEnum):
    """The uses that count. Links and subscriptions stand in the files, so only the first three are kept."""

    COMPILED = "compiled"
    OPENED = "opened"
    READ = "read"
    LINKED = "linked"
    SUBSCRIBED = "subscribed"


class ReferenceDays:
    """Days by path. A kind counts once a day: an agent that reads a file in a loop keeps it no longer than another."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.REFERENCE_DAYS)
        self._known: set[tuple[str, str, str]] = set()

    def add(self, kind: ReferenceKind, paths: Collection[str], day: date) -> None:
        """Counts a use of these files on a day. Where nothing can be kept the use goes on, and counts for nothing."""
        new = [path for path in paths if (kind.value, path, day.isoformat()) not in self._known]
        if not new:
            return
        with suppress(MemdeckError), self._table.change() as rows:
            for path in new:
                _add(rows, path, kind, day.isoformat())
            highest, count = rows.extent()
            if count > MOST_FILES:
                rows.drop_numbers(number for number, _ in rows.below(highest)[: count - MOST_FILES])
            self._known |= {(kind.value, path, day.isoformat()) for path in new}

    def all(self) -> Mapping[str, Days]:
        """The days of every file; none where they cannot be read."""
        return self._table.values(Days)


def _add(rows: TableRows, path: str, kind: ReferenceKind, day: str) -> None:
    body = rows.get(path)
    try:
        days: Days = msgspec.json.decode(body, type=Days) if body is not None else {}
    except msgspec.DecodeError:
        days = {}
    days[day] = tuple(sorted({*days.get(day, ()), kind.value}))
    kept = dict(sorted(days.items())[-MOST_DAYS:])
    rows.put(path, msgspec.json.encode(kept))
