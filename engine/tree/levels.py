"""Defines the tree's five levels, the states of a node, and the path of each node (tree §Hierarchy)."""

import re
from enum import StrEnum


class NodeLevel(StrEnum):
    """The levels of nodes, from the leaves up; raw logs below them are no nodes."""

    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    ROOT = "root"


class NodeStatus(StrEnum):
    """`needs-summarization` is written by another tool and is a work item for us (decision C22)."""

    TENTATIVE = "tentative"
    FIXED = "fixed"
    NEEDS_SUMMARIZATION = "needs-summarization"


class Freshness(StrEnum):
    """The state of a node against its sources: a closed set, handled with `match`.

    `missing`: there is none yet. `stale`: tentative, its sources changed. `stale-fixed`: fixed, its sources changed
    (decision C4). `damaged`: fixed in the operator's records, its bytes are others. `unknown`: written by another
    tool that does not say what it was made from. `orphan`: its sources are gone. `forged`: not written by us, and
    what it says of its sources does not hold.
    """

    FRESH = "fresh"
    MISSING = "missing"
    STALE = "stale"
    STALE_FIXED = "stale-fixed"
    DAMAGED = "damaged"
    UNKNOWN = "unknown"
    ORPHAN = "orphan"
    FORGED = "forged"


ROOT_PATH = "memory/ROOT.md"
LEVELS = (NodeLevel.DAILY, NodeLevel.WEEKLY, NodeLevel.MONTHLY)
"""The levels below ROOT, in the order in which a cycle goes through them."""

_NODE = re.compile(r"memory/(daily|weekly|monthly)/([0-9]{4}-(?:W[0-9]{2}|[0-9]{2}(?:-[0-9]{2})?))\.md\Z")


def node_path(level: NodeLevel, period: str) -> str:
    """Gives the path of a period's node; `period` is empty for ROOT."""
    return ROOT_PATH if level is NodeLevel.ROOT else f"memory/{level.value}/{period}.md"


def node_place(path: str) -> tuple[NodeLevel, str] | None:
    """The level and period a path names, whether or not such a day exists; None for what is no node."""
    if path == ROOT_PATH:
        return NodeLevel.ROOT, ""
    found = _NODE.match(path)
    return (NodeLevel(found[1]), found[2]) if found else None
