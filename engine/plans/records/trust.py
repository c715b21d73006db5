"""Keeps the operator's records of trust: the label of what each operation wrote, by path and by its bytes.

Folded from the operations and their plans, oldest first, and kept in the state folder as a shortcut. Nothing in the
workspace can change it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.plans.operation import Operation, OperationState, Rename, Withdraw, Write
from engine.plans.plan import Plan
from engine.plans.records.operations import Operations
from engine.plans.trust import TrustLabel, lowest
from engine.state.private_files import write_private
from engine.text.canonical_json import canonical_json

FILE = "trust-records.json"
LoadPlan = Callable[[str], Plan]


class TrustRecords(msgspec.Struct, frozen=True):
    """Labels by path and by sha256. `through` is the last operation folded in."""

    paths: Mapping[str, TrustLabel] = {}
    contents: Mapping[str, TrustLabel] = {}
    through: str = ""

    def of(self, path: str, sha256: str) -> TrustLabel | None:
        """The lower label of the path and of these bytes, which may be a copy of another file."""
        return lowest(found for found in (self.paths.get(path), self.contents.get(sha256)) if found is not None)


def load_trust(file: Path, operations: Operations, load_plan: LoadPlan) -> TrustRecords:
    """The records up to the last finished operation; a damaged shortcut is made anew."""
    stored = _stored(file)
    ids = operations.ids()
    if stored.through and stored.through not in ids:
        stored = TrustRecords()
    new = list(reversed(ids[: ids.index(stored.through)] if stored.through else ids))
    if not new:
        return stored
    records = fold(stored, _readable(operations, new), load_plan)
    try:
        write_private(file, canonical_json(records))
    except OSError:
        return records  # only the shortcut is lost
    return records


def fold(known: TrustRecords, operations: Iterable[Operation], load_plan: LoadPlan) -> TrustRecords:
    """The records after these operations; it stops before one that is still running."""
    paths, contents, through = dict(known.paths), dict(known.contents), known.through
    for operation in operations:
        if operation.state is OperationState.RUNNING:
            break
        through = operation.id
        given = _given(operation, load_plan)
        for effect in (operation.effects[index] for index in operation.done):
            match effect:
                case Write(path=path, after=after):
                    # What was in the file counts too: a rewrite never raises its label.
                    old = (one for one in (paths.get(path), contents.get(after)) if one is not None)
                    label = lowest([*given.get(path, ()), *old])
                    if label is not None:
                        paths[path] = contents[after] = label
                case Rename(path=path, to=to, sha256=sha256):
                    label = lowest(one for one in (paths.pop(path, None), contents.get(sha256)) if one is not None)
                    if label is not None:
                        paths[to] = contents[sha256] = label
                case Withdraw(path=path):
                    paths.pop(path, None)
    return TrustRecords(paths, contents, through)


def _given(operation: Operation, load_plan: LoadPlan) -> dict[str, list[TrustLabel]]:
    """The labels that an apply's plan gave to each path it wrote; none for an undo, whose bytes are known."""
    if operation.undoes is not None:
        return {}
    try:
        plan = load_plan(operation.plan)
    except MemdeckError:
        return {}
    found: dict[str, list[TrustLabel]] = {}
    for change in plan.changes:
        if change.n in operation.numbers and isinstance(change.trust, TrustLabel):
            found.setdefault(change.path, []).append(change.trust)
    return found


def _readable(operations: Operations, names: Iterable[str]) -> Iterator[Operation]:
    for name in names:
        try:
            yield operations.load(name)
        except MemdeckError:
            continue


def _stored(file: Path) -> TrustRecords:
    try:
        return msgspec.json.decode(file.read_bytes(), type=TrustRecords)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return TrustRecords()
