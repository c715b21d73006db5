"""Keeps the operator's records of trust: the label of what each operation wrote, by path and by its bytes. Folded from
the operations and their plans, oldest first."""

from collections.abc import Iterable, Mapping

import msgspec

from engine.plans.operation import Operation, Rename, Withdraw, Write
from engine.plans.records.operation_fold import LoadPlan, finished, folded, plan_or_none
from engine.plans.records.operations import Operations
from engine.plans.trust import TrustLabel, lowest
from engine.state.database import StateDatabase

FOLD = "trust"
"""The name of its fold in the operator's state."""


class TrustRecords(msgspec.Struct, frozen=True):
    """Labels by path and by sha256. `through` is the last operation folded in."""

    paths: Mapping[str, TrustLabel] = {}
    contents: Mapping[str, TrustLabel] = {}
    through: str = ""

    def of(self, path: str, sha256: str) -> TrustLabel | None:
        """Gives the lower label of the path and of these bytes, which may be a copy of another file."""
        return lowest(found for found in (self.paths.get(path), self.contents.get(sha256)) if found is not None)


def load_trust(database: StateDatabase, operations: Operations, load_plan: LoadPlan) -> TrustRecords:
    """Gives the records up to the last finished operation; a damaged shortcut is made anew."""
    return folded(database, FOLD, operations, TrustRecords, lambda known, new: fold(known, new, load_plan))


def fold(known: TrustRecords, operations: Iterable[Operation], load_plan: LoadPlan) -> TrustRecords:
    """Adds these operations to the records; it stops before one that is still running."""
    paths, contents, through = dict(known.paths), dict(known.contents), known.through
    for operation, effects in finished(operations):
        through = operation.id
        given = _given(operation, load_plan)
        for effect in effects:
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
    """Gives the labels that an apply's plan set to each path it wrote; none for an undo, whose bytes are known."""
    plan = plan_or_none(operation, load_plan) if operation.undoes is None else None
    if plan is None:
        return {}
    found: dict[str, list[TrustLabel]] = {}
    for change in plan.changes:
        if change.n in operation.numbers and isinstance(change.trust, TrustLabel):
            found.setdefault(change.path, []).append(change.trust)
    return found
