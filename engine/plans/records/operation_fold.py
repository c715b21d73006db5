"""Folds the operations, oldest first, into facts: the moves of files, and the trust labels of what was written. The
result is stored and extended; a lost one is rebuilt from the operator's records."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import TypeVar

import msgspec

from engine.errors import MemdeckError
from engine.plans.operation import Effect, Operation, OperationState, Rename, Withdraw, Write
from engine.plans.plan import Plan
from engine.plans.records.operations import Operations
from engine.plans.trust_label import TrustLabel, lowest
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.text.canonical_json import canonical_json

LoadPlan = Callable[[str], Plan]


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """Facts folded from the operations up to `through`; empty: from none."""

    through: str = ""


T = TypeVar("T", bound=Folded)
Fold = Callable[[T, Iterable[Operation]], T]  # adds operations, oldest first, to what is known


def folded(database: StateDatabase, name: str, operations: Operations, kind: type[T], fold: Fold[T]) -> T:
    """Folds up to the last finished operation, and reads only what the stored fold `name` lacks."""
    table = Table(database, StateTable.OPERATION_FOLDS)
    stored = table.get(name, kind) or kind()
    outlines = operations.outlines()
    new = [outline.name for outline in takewhile(lambda outline: outline.name != stored.through, outlines)][::-1]
    if stored.through and len(new) == len(outlines):  # what it was folded up to is gone
        stored = kind()
    if not new:
        return stored
    known = fold(stored, _readable(operations, new))
    if known.through != stored.through:
        table.keep(name, canonical_json(known))
    return known


def finished(operations: Iterable[Operation]) -> Iterator[tuple[Operation, tuple[Effect, ...]]]:
    """Yields operations with their effects, up to one that is still running."""
    for operation in takewhile(lambda operation: operation.state is not OperationState.RUNNING, operations):
        yield operation, tuple(operation.effects[index] for index in operation.done)


def plan_or_none(operation: Operation, load_plan: LoadPlan) -> Plan | None:
    """Gives the plan of an operation; None where it cannot be read."""
    try:
        return load_plan(operation.plan)
    except MemdeckError:
        return None


def _readable(operations: Operations, names: Iterable[str]) -> Iterator[Operation]:
    """Yields the operations with readable records; `check` reports the others."""
    for name in names:
        try:
            yield operations.load(name)
        except MemdeckError:
            continue


class Moves(Folded, frozen=True):
    """The new path of each path that an operation moved."""

    places: Mapping[str, str] = {}

    def place(self, path: str) -> str:
        """Gives the present path of a file by its old one; `path` itself where no operation moved it."""
        seen = {path}
        while (path := self.places.get(path, path)) not in seen:
            seen.add(path)
        return path


def fold_moves(known: Moves, operations: Iterable[Operation]) -> Moves:
    """Adds the moves of these operations, up to one that is still running."""
    places, through = dict(known.places), known.through
    for operation, effects in finished(operations):
        through = operation.id
        for effect in effects:
            match effect:
                case Rename(path=path, to=to):
                    places[path] = to
                    places.pop(to, None)
                case Write(path=path):
                    places.pop(path, None)
                case Withdraw():
                    pass
    return Moves(places, through=through)


class TrustRecords(Folded, frozen=True):
    paths: Mapping[str, TrustLabel] = {}
    contents: Mapping[str, TrustLabel] = {}

    def of(self, path: str, sha256: str) -> TrustLabel | None:
        """Gives the lower label of the path and of the bytes, which may be a copy; None if there is none."""
        return lowest(label for label in (self.paths.get(path), self.contents.get(sha256)) if label is not None)


def load_trust(database: StateDatabase, operations: Operations, load_plan: LoadPlan) -> TrustRecords:
    """Gives the labels up to the last finished operation."""
    return folded(database, "trust", operations, TrustRecords, lambda known, new: fold_trust(known, new, load_plan))


def fold_trust(known: TrustRecords, operations: Iterable[Operation], load_plan: LoadPlan) -> TrustRecords:
    """Adds the labels of these operations, up to one that is still running."""
    paths, contents, through = dict(known.paths), dict(known.contents), known.through
    for operation, effects in finished(operations):
        through = operation.id
        given = _given(operation, load_plan)
        for effect in effects:
            match effect:
                case Write(path=path, after=after):
                    # What was in the file counts too: a rewrite never raises its label.
                    old = (one for one in (paths.get(path), contents.get(after)) if one is not None)
                    if (label := lowest([*given.get(path, ()), *old])) is not None:
                        paths[path] = contents[after] = label
                case Rename(path=path, to=to, sha256=sha256):
                    label = lowest(one for one in (paths.pop(path, None), contents.get(sha256)) if one is not None)
                    if label is not None:
                        paths[to] = contents[sha256] = label
                case Withdraw(path=path):
                    paths.pop(path, None)
    return TrustRecords(paths, contents, through=through)


def _given(operation: Operation, load_plan: LoadPlan) -> dict[str, list[TrustLabel]]:
    """Gives the labels that an apply's plan gave each path; none for an undo, whose bytes have labels."""
    plan = plan_or_none(operation, load_plan) if operation.undoes is None else None
    if plan is None:
        return {}
    labels: dict[str, list[TrustLabel]] = {}
    for change in plan.changes:
        if change.n in operation.numbers and isinstance(change.trust, TrustLabel):
            labels.setdefault(change.path, []).append(change.trust)
    return labels
