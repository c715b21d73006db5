"""Decides what a cycle does to a node, by its judged period (tree §Trigger Conditions, C2, C4, C5, C12)."""

from collections.abc import Collection
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
    finalised = not node.fixed and is_due(node, today)
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
            return Action.REGENERATE if finalised else None
        case Freshness.FRESH:
            return Action.FINALISE if finalised else None
        case Freshness.ORPHAN:
            return Action.FINALISE if node.ours and not node.fixed and today >= node.fixed_from else None


def risk_tier(node: Node, action: Action, *, fixed: bool) -> RiskTier:
    """Gives the approval it needs (decisions §Risk tiers). `fixed`: whether the node is fixed afterwards."""
    if action is Action.REOPEN or (action in (Action.REGENERATE, Action.FINALISE) and not node.ours):
        return RiskTier.C
    return RiskTier.B if fixed or action is Action.SUPPLEMENT else RiskTier.A


def reason(node: Node, action: Action, *, fixed: bool) -> str:
    """Gives the reason, in one line for the operator."""
    over = ", and its period is over" if fixed else ""
    why = f"its sources changed{over}"
    if action is Action.CREATE:
        why = "no node yet" + (", its period is over" if fixed else "")
    elif action is Action.REGENERATE and node.status is NodeStatus.NEEDS_SUMMARIZATION:
        why = "another tool left it to be summarised"
    elif action is Action.REGENERATE and node.freshness is Freshness.UNKNOWN:
        why = "written by another tool and its period is over"
    return f"{node.period}: {_REASONS.get(action, why)}"


_REASONS = {
    Action.FINALISE: "its period is over, from now on it is fixed",
    Action.SUPPLEMENT: "its sources changed after it was fixed; what came late is added below",
    Action.REOPEN: "rebuilt from its sources as they are now, at the operator's wish",
}


def shown(node: Node) -> str:
    """Tells the operator of a node that is left alone."""
    told = {
        Freshness.DAMAGED: " is fixed in the operator's records and was changed by another program",
        Freshness.FORGED: f" is omitted from what is made from it: {node.doubt}",
        Freshness.STALE_FIXED: " is fixed, written by another tool, and its sources changed since",
    }
    return node.path + told.get(node.freshness, ": its sources are gone")


SUMMARIES_PER_CYCLE = 1  # For each level: what costs a model's answer, or stands in for one. A drain has no such limit.
