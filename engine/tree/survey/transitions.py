"""Decides what a cycle does to a node, by its judged period (tree §Trigger Conditions, C2, C4, C5, C12)."""

from collections.abc import Collection, Sequence
from datetime import date
from enum import StrEnum

from engine.plans.plan import RiskTier
from engine.tree.levels import Freshness, NodeStatus
from engine.tree.survey.node_state import Node


class Action(StrEnum):
    """A closed set, handled with `match`. `show`: nothing is done, the operator is told."""

    CREATE = "create"
    REGENERATE = "regenerate"
    FINALISE = "finalise"
    SUPPLEMENT = "supplement"
    REOPEN = "reopen"
    SHOW = "show"


def is_due(node: Node, today: date) -> bool:
    """Tells whether calendar, children and sources let it be fixed; looked at in every cycle (decisions C2, C12)."""
    return node.complete and today >= node.fixed_from


def wanted(node: Node, today: date, reopen: Collection[str]) -> Action | None:
    """Decides what this node needs; None where it is as it should be."""
    if node.path in reopen and node.exists and node.sources:
        return Action.REOPEN
    match node.freshness:
        case Freshness.MISSING:
            return Action.CREATE if node.sources else None
        case Freshness.DAMAGED | Freshness.FORGED:
            return Action.SHOW
        case Freshness.STALE_FIXED:
            return Action.SUPPLEMENT if node.ours else Action.SHOW
        case Freshness.STALE:
            return Action.REGENERATE if node.sources else Action.SHOW
        case Freshness.UNKNOWN:
            # Another tool's node that says nothing of its sources is read and kept until its period is over.
            return Action.REGENERATE if not node.fixed and is_due(node, today) else None
        case Freshness.FRESH:
            return Action.FINALISE if not node.fixed and is_due(node, today) else None
        case Freshness.ORPHAN:
            over = node.ours and not node.fixed and today >= node.fixed_from
            return Action.FINALISE if over else None


def risk_tier(node: Node, action: Action, *, fixed: bool) -> RiskTier:
    """Gives the approval it needs (decisions §Risk tiers). `fixed`: whether the node is fixed afterwards."""
    match action:
        case Action.REOPEN:
            return RiskTier.C
        case Action.CREATE:
            return RiskTier.B if fixed else RiskTier.A
        case Action.REGENERATE | Action.FINALISE:
            if not node.ours:
                return RiskTier.C
            return RiskTier.B if fixed else RiskTier.A
        case Action.SUPPLEMENT:
            return RiskTier.B
        case Action.SHOW:
            raise ValueError("nothing is written")


def reason(node: Node, action: Action, *, fixed: bool) -> str:
    """Gives the reason, in one line for the operator."""
    match action:
        case Action.CREATE:
            return f"{node.period}: no node yet" + (", its period is over" if fixed else "")
        case Action.REGENERATE if node.status is NodeStatus.NEEDS_SUMMARIZATION:
            return f"{node.period}: another tool left it to be summarised"
        case Action.REGENERATE if node.freshness is Freshness.UNKNOWN:
            return f"{node.period}: written by another tool and its period is over"
        case Action.REGENERATE:
            return f"{node.period}: its sources changed" + (", and its period is over" if fixed else "")
        case Action.FINALISE:
            return f"{node.period}: its period is over, from now on it is fixed"
        case Action.SUPPLEMENT:
            return f"{node.period}: its sources changed after it was fixed; what came late is added below"
        case Action.REOPEN:
            return f"{node.period}: rebuilt from its sources as they are now, at the operator's wish"
        case Action.SHOW:
            return shown(node)


def shown(node: Node) -> str:
    """Tells the operator of a node that is left alone."""
    if node.freshness is Freshness.DAMAGED:
        return f"{node.path} is fixed in the operator's records and was changed by another program"
    if node.freshness is Freshness.FORGED:
        return f"{node.path} is omitted from what is made from it: {node.doubt}"
    if node.freshness is Freshness.STALE_FIXED:
        return f"{node.path} is fixed, written by another tool, and its sources changed since"
    return f"{node.path}: its sources are gone"


SUMMARIES_PER_CYCLE = 1
"""For each level: what costs a model's answer, or stands in for one. A drain has no such limit."""


def newest_first(work: list[tuple[Node, Action]], newest: Sequence[str]) -> list[tuple[Node, Action]]:
    """Puts the newest period of all first where there is work on it, then the backlog from its oldest on. Were the
    newest of the backlog always first, an old day might wait for ever."""
    return [*work[-1:], *work[:-1]] if work and work[-1][0].period in newest else work
