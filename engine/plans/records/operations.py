"""The operations of one workspace, each a file of its own, newest first."""

from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged, UsageError
from engine.plans.operation import Operation
from engine.plans.records.state import write_private
from engine.workspace.canonical import canonical_json
from engine.workspace.findings import Finding, FindingKind


class Operations:
    """Keeps and finds operations. Only the holder of the lock saves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[int, int, Operation]] = {}

    def save(self, operation: Operation) -> None:
        """Writes the operation as a whole; on disk when this returns."""
        write_private(self._file(operation.id), canonical_json(operation))

    def load(self, operation_id: str) -> Operation:
        """The operation of that id, or the only one that ends like it; `UsageError` for none, `Damaged` if altered."""
        matches = [name for name in self.ids() if name == operation_id] or [
            name for name in self.ids() if name.endswith(operation_id)
        ]
        if len(matches) != 1 or not operation_id:
            message = "more than one operation ends like this" if matches else "there is no such operation"
            raise UsageError(message, where=operation_id, hint="memdeck log lists them")
        return self._read(matches[0])

    def list(self) -> tuple[Operation, ...]:
        """All operations, newest first."""
        return tuple(self._read(name) for name in self.ids())

    def readable(self) -> tuple[tuple[Operation, ...], tuple[Finding, ...]]:
        """The operations that can be read, newest first, and what is wrong with the others."""
        good: list[Operation] = []
        bad: list[Finding] = []
        for name in self.ids():
            try:
                good.append(self._named(name))
            except Damaged as error:
                bad.append(_damaged(name, error.message))
        return tuple(good), tuple(bad)

    def _named(self, name: str) -> Operation:
        operation = self._read(name)
        if operation.id != name:
            raise Damaged(f"the record of {name} is that of {operation.id}", where=name)
        return operation

    def ids(self) -> tuple[str, ...]:
        """The ids of all operations, newest first."""
        try:
            names = [file.stem for file in self.folder.iterdir() if _is_record(file)]
        except FileNotFoundError:
            return ()
        return tuple(sorted(names, key=_order, reverse=True))

    def next_id(self, now: datetime) -> str:
        """`o-YYYYMMDD-NNNN`, one higher than the last of that day. Ids sort in the order they were given."""
        day = f"{now:%Y%m%d}"
        used = [_order(name) for name in self.ids()]
        # A clock set back must not give an id below one already used: undo goes by their order.
        last_day, last_number = max(used, default=("", 0))
        if last_day < day:
            return f"o-{day}-0001"
        return f"o-{last_day}-{last_number + 1:04d}"

    def _file(self, operation_id: str) -> Path:
        return self.folder / f"{operation_id}.json"

    def _read(self, operation_id: str) -> Operation:
        file = self._file(operation_id)
        try:
            stat = file.stat()
            known = self._known.get(operation_id)
            if known and known[:2] == (stat.st_mtime_ns, stat.st_ino):
                return known[2]
            operation = msgspec.json.decode(file.read_bytes(), type=Operation)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Damaged(f"the operation's record cannot be read: {error}", where=str(file)) from error
        self._known[operation_id] = (stat.st_mtime_ns, stat.st_ino, operation)
        return operation


def _damaged(name: str, what: str) -> Finding:
    fix = "restore it from a backup"
    return Finding(kind=FindingKind.DAMAGE, id="operation_damaged", where=f"operations/{name}", what=what, fix=fix)


def _is_record(file: Path) -> bool:
    return file.suffix == ".json" and file.name.startswith("o-")


def _order(name: str) -> tuple[str, int]:
    _, _, rest = name.partition("-")
    day, _, number = rest.partition("-")
    return day, int(number) if number.isdigit() else 0
