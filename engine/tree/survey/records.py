"""Reads the operator's records of the tree: the hash that we last wrote of each node, and which nodes are fixed. They
are folded from operations and plans, so that each operation is read once."""

from collections.abc import Iterable, Mapping

import msgspec

from engine.plans.operation import Operation, Write
from engine.plans.plan import Create, Plan, Replace
from engine.plans.records.operation_fold import Folded, LoadPlan, finished, folded, plan_or_none
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase
from engine.text.canonical_json import sha256_hex
from engine.text.frontmatter import read_frontmatter
from engine.tree.levels import ROOT_PATH, NodeStatus, node_place

FOLD = "tree"  # the name of its fold in the operator's state
LINES, TAKEN = "taken_lines", "taken"
"""Keys of a plan's facts: flagged texts let into ROOT, and nodes taken despite doubts, with their hashes."""


class NodeRecord(msgspec.Struct, frozen=True):
    """The hash that we last wrote of a node, and whether it was fixed."""

    sha256: str
    fixed: bool = False


class TreeRecords(Folded, frozen=True):
    """The records of nodes by their paths."""

    nodes: Mapping[str, NodeRecord] = {}
    fixed: frozenset[str] = frozenset()  # hashes of all bytes we ever wrote as fixed: an undo brings some of them back
    lines: frozenset[str] = frozenset()  # keys of flagged texts that the operator let into ROOT
    taken: frozenset[str] = frozenset()
    """Hashes of nodes that the operator took although their claims do not hold."""

    def wrote(self, path: str, sha256: str) -> bool:
        """Tells whether we last wrote these bytes at this path."""
        known = self.nodes.get(path)
        return known is not None and known.sha256 == sha256

    def is_fixed(self, path: str) -> bool:
        known = self.nodes.get(path)
        return known is not None and known.fixed


def load_records(database: StateDatabase, operations: Operations, load_plan: LoadPlan) -> TreeRecords:
    """Returns the records up to the last finished operation; the stored ones save time, damaged ones are rebuilt."""
    return folded(database, FOLD, operations, TreeRecords, lambda known, new: fold(known, new, load_plan))


def fold(known: TreeRecords, operations: Iterable[Operation], load_plan: LoadPlan) -> TreeRecords:
    """Adds operations, oldest first, to the records; stops at one that is still running."""
    nodes, through, fixed = dict(known.nodes), known.through, set(known.fixed)
    lines, taken = set(known.lines), set(known.taken)
    for operation, effects in finished(operations):
        through = operation.id
        touched = [effect for effect in effects if node_place(effect.path) is not None]
        if any(isinstance(effect, Write) for effect in touched):
            plan = plan_or_none(operation, load_plan)
            fixed |= _fixed_by(plan) if plan is not None else set()
            if plan is not None and operation.undoes is None:
                lines |= _let_in(plan, operation)
                taken |= _taken_by(plan, operation)
        for effect in touched:
            if isinstance(effect, Write):
                nodes[effect.path] = NodeRecord(effect.after, effect.after in fixed)
            else:
                nodes.pop(effect.path, None)
    return TreeRecords(nodes, frozenset(fixed), frozenset(lines), frozenset(taken), through=through)


def _let_in(plan: Plan, operation: Operation) -> set[str]:
    """Returns the keys of the flagged texts that an operation let into ROOT; none if it did not write ROOT."""
    keys = plan.facts.get(LINES)
    wrote = any(change.path == ROOT_PATH and change.n in operation.numbers for change in plan.changes)
    return {key for key in keys if isinstance(key, str)} if wrote and isinstance(keys, list | tuple) else set()


def _taken_by(plan: Plan, operation: Operation) -> set[str]:
    taken = plan.facts.get(TAKEN)
    rows = taken.items() if isinstance(taken, Mapping) else ()
    read = {source.path for change in plan.changes if change.n in operation.numbers for source in change.sources}
    return {sha256 for path, sha256 in rows if path in read and isinstance(sha256, str)}


def _fixed_by(plan: Plan) -> set[str]:
    """Returns the hashes of the nodes that a plan wrote as fixed, by their first frontmatter block (decision C9)."""
    written = (change for change in plan.changes if isinstance(change, Create | Replace) and node_place(change.path))
    heads = ((change.content, read_frontmatter(change.content.encode()).values) for change in written)
    return {sha256_hex(text.encode()) for text, values in heads if values.get("status") == NodeStatus.FIXED.value}
