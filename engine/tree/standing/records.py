"""What the operator's own records say of the tree: the bytes we last wrote of each node, and which nodes are fixed.

Folded from the operations and their plans, oldest first; the result is kept in the state folder, so that each operation
is looked at once. Nothing in the workspace can change it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.plans.operation import Operation, OperationState, Put
from engine.plans.plan import Create, Plan, Replace, text_sha256
from engine.plans.records.operations import Operations
from engine.plans.records.state import write_private
from engine.tree.levels import NodeStatus, node_place
from engine.workspace.canonical import canonical_json
from engine.workspace.frontmatter import read_frontmatter

FILE = "tree-records.json"
LoadPlan = Callable[[str], Plan]


class NodeRecord(msgspec.Struct, frozen=True):
    """The last bytes we wrote to a node, and whether they said that it is fixed."""

    sha256: str
    fixed: bool = False


class TreeRecords(msgspec.Struct, frozen=True):
    """By path of a node. `through` is the last operation folded in."""

    nodes: Mapping[str, NodeRecord] = {}
    through: str = ""
    fixed: frozenset[str] = frozenset()
    """Hashes of all bytes we ever wrote as fixed: an undo brings some of them back."""

    def wrote(self, path: str, sha256: str) -> bool:
        """Whether these are the bytes we last wrote there."""
        known = self.nodes.get(path)
        return known is not None and known.sha256 == sha256

    def is_fixed(self, path: str) -> bool:
        known = self.nodes.get(path)
        return known is not None and known.fixed


def load_records(file: Path, operations: Operations, load_plan: LoadPlan) -> TreeRecords:
    """The records up to the last finished operation. What was stored is only a shortcut; a damaged one is made anew."""
    stored = _stored(file)
    outlines = operations.outlines()
    new = [outline.name for outline in takewhile(lambda outline: outline.name != stored.through, outlines)][::-1]
    if stored.through and len(new) == len(outlines):  # what it was folded up to is gone
        stored = TreeRecords()
    if not new:
        return stored
    records = fold(stored, _readable(operations, new), load_plan)
    try:
        write_private(file, canonical_json(records))
    except OSError:
        return records  # only the shortcut is lost
    return records


def _readable(operations: Operations, names: Iterable[str]) -> Iterator[Operation]:
    """The operations whose records can be read; `check` names the others, whose nodes then count as another's."""
    for name in names:
        try:
            yield operations.load(name)
        except MemdeckError:
            continue


def fold(known: TreeRecords, operations: Iterable[Operation], load_plan: LoadPlan) -> TreeRecords:
    """The records after these operations, oldest first; it stops before one that is still running."""
    nodes, through, fixed = dict(known.nodes), known.through, set(known.fixed)
    for operation in operations:
        if operation.state is OperationState.RUNNING:
            break
        through = operation.id
        effects = [operation.effects[index] for index in operation.done]
        touched = [effect for effect in effects if node_place(effect.path) is not None]
        if any(isinstance(effect, Put) for effect in touched):
            fixed |= _fixed_by(operation, load_plan)
        for effect in touched:
            if isinstance(effect, Put):
                nodes[effect.path] = NodeRecord(effect.after, effect.after in fixed)
            else:
                nodes.pop(effect.path, None)
    return TreeRecords(nodes, through, frozenset(fixed))


def _fixed_by(operation: Operation, load_plan: LoadPlan) -> set[str]:
    """Hashes of the nodes that the operation's plan wrote as fixed."""
    try:
        plan = load_plan(operation.plan)
    except MemdeckError:
        return set()
    return {
        text_sha256(change.content)
        for change in plan.changes
        if isinstance(change, Create | Replace) and node_place(change.path) and says_fixed(change.content.encode())
    }


def says_fixed(data: bytes) -> bool:
    """Whether the first frontmatter block says `status: fixed` (decision C9)."""
    return read_frontmatter(data).values.get("status") == NodeStatus.FIXED.value


def _stored(file: Path) -> TreeRecords:
    try:
        return msgspec.json.decode(file.read_bytes(), type=TreeRecords)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return TreeRecords()
