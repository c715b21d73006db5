"""Folds the operations, oldest first, onto what was stored of an earlier fold: a shortcut, made anew where it is lost.
Nothing in the workspace can change it: it comes of the operator's own records alone."""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Protocol, TypeVar

from engine.errors import MemdeckError
from engine.plans.operation import Effect, Operation, OperationState
from engine.plans.plan import Plan
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase
from engine.state.rows import OPERATION_FOLDS
from engine.state.table import Table
from engine.text.canonical_json import canonical_json

LoadPlan = Callable[[str], Plan]


class Folded(Protocol):
    """Holds facts folded from the operations up to one of them. Made without arguments: of none."""

    @property
    def through(self) -> str:
        """The last operation folded in; empty for none."""


T = TypeVar("T", bound=Folded)
Fold = Callable[[T, Iterable[Operation]], T]
"""Adds operations, oldest first, to what is known."""


def folded(database: StateDatabase, name: str, operations: Operations, kind: type[T], fold: Fold[T]) -> T:
    """Folds up to the last finished operation; only what the stored fold lacks is read. `name` is its own."""
    table = Table(database, OPERATION_FOLDS)
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
    """Operations with the effects that they had, up to one that is still running."""
    for operation in takewhile(lambda operation: operation.state is not OperationState.RUNNING, operations):
        yield operation, tuple(operation.effects[index] for index in operation.done)


def plan_or_none(operation: Operation, load_plan: LoadPlan) -> Plan | None:
    """Gives the plan of an operation; None where it cannot be read."""
    try:
        return load_plan(operation.plan)
    except MemdeckError:
        return None


def _readable(operations: Operations, names: Iterable[str]) -> Iterator[Operation]:
    """Gives the operations whose records can be read; `check` names the others, whose files then count as another's."""
    for name in names:
        try:
            yield operations.load(name)
        except MemdeckError:
            continue
