"""Rebuilds the diffs of a past operation from the displaced store, the workspace and its plan."""

from engine.plans.diff import FileDiff, Read, bytes_or_none, file_diff, split_lines
from engine.plans.operation import Effect, Operation, OperationKind, OperationState, Rename, Withdraw, Write
from engine.plans.plan import Append, Move, Plan
from engine.text.canonical_json import sha256_hex

LOST = "not shown: its bytes are no longer known"


def operation_diffs(operation: Operation, plan: Plan | None, read: Read, stored: Read) -> tuple[FileDiff, ...]:
    """Gives one diff per effect that took place, in order. `stored` gives displaced bytes by sha256. `plan` rebuilds
    the written bytes of files that changed since; None if it cannot be read."""
    numbers = operation.numbers if operation.kind is OperationKind.APPLY else ()
    memory = PastBytes(plan, numbers, read, stored)
    return tuple(_diff(operation.effects[index], memory) for index in took_place(operation))


def took_place(operation: Operation) -> tuple[int, ...]:
    """Gives the indices of the effects that took place, also for an undone operation, whose record has no `done`."""
    return tuple(range(len(operation.effects))) if operation.state is OperationState.UNDONE else operation.done


class PastBytes:
    """Finds bytes by their hash in every place that may have them. `plan` and `numbers` are those of an apply."""

    def __init__(self, plan: Plan | None, numbers: tuple[int, ...], read: Read, stored: Read) -> None:
        self._plan, self._numbers, self._read, self._stored = plan, numbers, read, stored

    def find(self, sha256: str, *paths: str) -> bytes | None:
        for read, name in ((self._stored, sha256), *((self._read, path) for path in paths)):
            data = bytes_or_none(read, name)
            if data is not None and sha256_hex(data) == sha256:
                return data
        return None

    def rebuild(self, path: str, before: bytes | None, sha256: str) -> bytes | None:
        """Applies the plan's chosen changes to the old bytes; None unless the result has the recorded hash."""
        data = before or b""
        for change in self._plan.changes if self._plan is not None else ():
            if change.n in self._numbers and change.path == path and not isinstance(change, Move):
                added = change.content.encode("utf-8", "backslashreplace")
                data = data + added if isinstance(change, Append) else added
        return data if sha256_hex(data) == sha256 else None


def _diff(effect: Effect, memory: PastBytes) -> FileDiff:
    match effect:
        case Rename(path=path, to=to, sha256=sha256):
            return _moved(path, to, memory.find(sha256, to, path))
        case Withdraw(path=path, before=before):
            return _between(path, memory.find(before, path), None, lost=False)
        case Write(path=path, before=before, after=after):
            old = None if before is None else memory.find(before)
            new = memory.find(after, path)
            if new is None and (before is None or old is not None):
                new = memory.rebuild(path, old, after)
            return _between(path, old, new, lost=new is None or (before is not None and old is None))


def _between(path: str, old: bytes | None, new: bytes | None, *, lost: bool) -> FileDiff:
    if not lost and (old is not None or new is not None):
        return file_diff(path, old, new)
    return FileDiff(path=path, to=None, rows=(), added=0, removed=0, note=LOST)


def _moved(path: str, to: str, data: bytes | None) -> FileDiff:
    count = None if data is None else len(split_lines(data.decode("utf-8", "replace")))
    lines = "" if count is None else f", {count:,} line{'s' * (count != 1)}"
    return FileDiff(path=path, to=to, rows=(), added=0, removed=0, note=f"moved as it was{lines}")
