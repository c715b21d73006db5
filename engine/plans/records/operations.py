"""The operations of one workspace, each in a file of its own, newest first."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice, takewhile
from pathlib import Path

import msgspec

from engine.errors import Damaged, UsageError
from engine.plans.operation import Operation, id_order
from engine.plans.records.operation_cache import OperationCache, Outline, is_record
from engine.plans.records.operation_index import OperationIndex
from engine.state.private_files import write_private
from engine.text.canonical_json import canonical_json
from engine.workspace.values import Finding, damage

_ID = re.compile(r"o-\d{8}-\d{4,}")


class Operations:
    """Stores and finds operations; iterating skips damaged ones. Only the holder of the lock saves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache = OperationCache(folder, self.named)
        self.index = OperationIndex(folder.with_name(f"{folder.name}.db"), self.outlines, self.named)

    def __iter__(self) -> Iterator[Operation]:
        for outline in self.outlines():
            try:
                yield self.named(outline.name)
            except Damaged:
                continue

    def save(self, operation: Operation) -> None:
        """Writes the operation to disk as a whole."""
        write_private(self._file(operation.id), canonical_json(operation))

    def load(self, operation_id: str) -> Operation:
        """Reads the operation with this id or unique ending; `UsageError` for none, `Damaged` if altered."""
        if _ID.fullmatch(operation_id) and self._file(operation_id).exists():
            return self._read(operation_id)
        # The end of an id is enough for a person: `0002` for `o-20260315-0002`.
        names = self.ids()
        same = [name for name in names if name == operation_id]
        matches = same or [name for name in names if name.endswith(operation_id)]
        if len(matches) != 1 or not operation_id:
            message = "more than one operation ends like this" if matches else "there is no such operation"
            raise UsageError(message, where=operation_id, hint="memdeck log lists them")
        return self._read(matches[0])

    def outlines(self, *, look: bool = False) -> list[Outline]:
        """Gives every record in short, newest first, from the cache. `look`: checks each file for changes in place."""
        return self._cache.outlines(look=look)

    def since(self, at: datetime) -> Iterator[Operation]:
        """Yields the readable operations since `at`, newest first, and perhaps some earlier ones of that day."""
        first = (f"{at - timedelta(days=1):%Y%m%d}", 0)  # an id is never of an earlier day than its operation
        return takewhile(lambda operation: id_order(operation.id) >= first, self)

    def newest(self, limit: int | None = None) -> tuple[Operation, ...]:
        """Gives the readable operations, newest first; with `limit`, at most that many."""
        return tuple(islice(self, limit))

    def damaged(self) -> tuple[Finding, ...]:
        """Reports the records that no listing could read and that are still unreadable; `check` reads all."""
        names = [outline.name for outline in self.outlines() if outline.damage]
        return tuple(damaged_record(name, what) for name in names if (what := self._problem(name)))

    def _problem(self, name: str) -> str:
        try:
            self.named(name)
        except Damaged as error:
            return error.message
        return ""

    def walk(self) -> Iterator[Operation]:
        """Yields all operations, newest first; `Damaged` where one cannot be read."""
        return map(self._read, self.ids())

    def readable(self) -> tuple[tuple[Operation, ...], tuple[Finding, ...]]:
        """Reads every record; gives the operations, newest first, and the findings for unreadable ones."""
        good: list[Operation] = []
        bad: list[Finding] = []
        for name in self.ids():
            try:
                good.append(self.named(name))
            except Damaged as error:
                bad.append(damaged_record(name, error.message))
        return tuple(good), tuple(bad)

    def named(self, name: str) -> Operation:
        """Reads the operation with this exact id; `Damaged` where its record is unreadable or another's."""
        operation = self._read(name)
        if operation.id != name:
            raise Damaged(f"the record of {name} is that of {operation.id}", where=name)
        return operation

    def ids(self) -> tuple[str, ...]:
        """Gives the ids of all operations, newest first."""
        try:
            names = [file.stem for file in self.folder.iterdir() if is_record(file.name)]
        except FileNotFoundError:
            return ()
        return tuple(sorted(names, key=id_order, reverse=True))

    def next_id(self, now: datetime) -> str:
        """Gives `o-YYYYMMDD-NNNN`, one above the last of that day; ids sort by time."""
        day = f"{now:%Y%m%d}"
        # A clock set back must not give an id below one already used: undo goes by their order.
        last_day, last_number = max([id_order(name) for name in self.ids()], default=("", 0))
        return f"o-{day}-0001" if last_day < day else f"o-{last_day}-{last_number + 1:04d}"

    def _file(self, operation_id: str) -> Path:
        return self.folder / f"{operation_id}.json"

    def _read(self, operation_id: str) -> Operation:
        file = self._file(operation_id)
        try:
            return msgspec.json.decode(file.read_bytes(), type=Operation)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Damaged(f"the operation's record cannot be read: {error}", where=str(file)) from error


def damaged_record(name: str, what: str) -> Finding:
    """Reports a record that cannot be read."""
    return damage("operation_damaged", f"operations/{name}", what, "restore it from a backup")
