"""The operations of one workspace, each a file of its own, newest first."""

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
    """Keeps and finds operations. Only the holder of the lock saves. Iterated, it gives the operations newest first,
    each read when its turn comes; those that are damaged are left out."""

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
        """Writes the operation as a whole; on disk when this returns."""
        write_private(self._file(operation.id), canonical_json(operation))

    def load(self, operation_id: str) -> Operation:
        """Reads the operation of that id, or the only one that ends so; `UsageError` for none, `Damaged` if altered."""
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
        """Gives every record in few words, newest first, from the cache: no record that is unchanged is opened. `look`:
        each is looked at, so that one that was written to in its place is opened too."""
        return self._cache.outlines(look=look)

    def since(self, at: datetime) -> Iterator[Operation]:
        """The operations that can be read, newest first, without those before that instant, but for some of its day."""
        first = (f"{at - timedelta(days=1):%Y%m%d}", 0)  # an id is never of an earlier day than its operation
        return takewhile(lambda operation: id_order(operation.id) >= first, self)

    def newest(self, limit: int | None = None) -> tuple[Operation, ...]:
        """Gives the operations that can be read, newest first; with `limit`, that many of them."""
        return tuple(islice(self, limit))

    def damaged(self) -> tuple[Finding, ...]:
        """Gives the records that could not be read when they were last listed, and still cannot; `check` reads all."""
        names = [outline.name for outline in self.outlines() if outline.damage]
        return tuple(damaged_record(name, what) for name in names if (what := self._problem(name)))

    def _problem(self, name: str) -> str:
        try:
            self.named(name)
        except Damaged as error:
            return error.message
        return ""

    def walk(self) -> Iterator[Operation]:
        """Gives all operations, newest first, each read when its turn comes; `Damaged` where one cannot be read."""
        return map(self._read, self.ids())

    def readable(self) -> tuple[tuple[Operation, ...], tuple[Finding, ...]]:
        """Reads every record; gives the operations, newest first, and what is wrong with those that cannot be read."""
        good: list[Operation] = []
        bad: list[Finding] = []
        for name in self.ids():
            try:
                good.append(self.named(name))
            except Damaged as error:
                bad.append(damaged_record(name, error.message))
        return tuple(good), tuple(bad)

    def named(self, name: str) -> Operation:
        """Reads the operation of that very id; `Damaged` where its record cannot be read or is another's."""
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
        """`o-YYYYMMDD-NNNN`, one higher than the last of that day. Ids sort in the order they were given."""
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
    """Names a record that cannot be read."""
    return damage("operation_damaged", f"operations/{name}", what, "restore it from a backup")
