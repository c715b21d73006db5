"""Describes a node: its status, its present sources and its stated ones, compared by hash (decision C4)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum

import msgspec

from engine.plans.plan import RiskTier
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.tree.levels import Freshness, NodeLevel, NodeStatus
from engine.tree.source_references import raw_day

Values = Mapping[str, str | list[str]]
Source = tuple[str, str]  # a path, and the sha256 of its bytes
BRIEF = 16  # characters of a node's hash, 64 bits, that the node above states; the operator's records have it whole


def same_sources(known: tuple[Source, ...], sources: tuple[Source, ...]) -> bool:
    """Tells whether a node was made from its present sources; missing or unreadable ones are ignored."""
    known, sources = brief_sources(known), brief_sources(sources)
    if known == sources:
        return True
    there = dict(sources)
    return set(sources) <= set(known) and all(path not in there or there[path] == sha256 for path, sha256 in known)


def brief_hash(path: str, sha256: str) -> str:
    """Returns a source's hash as nodes state it: whole for a raw log, `BRIEF` characters for a node, to save room."""
    return sha256 if raw_day(path) is not None else sha256[:BRIEF]


def brief_sources(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Returns sources with their hashes as nodes state them."""
    return tuple((path, brief_hash(path, sha256)) for path, sha256 in sources)


def sources_digest(sources: Sequence[Source]) -> str:
    """Returns one hash over all months: a hash for each would fill ROOT, which is always loaded."""
    return sha256_hex(canonical_json(sorted(sources)))


def known_sources(values: Values) -> tuple[Source, ...]:
    """Returns the sources and hashes that a node states; none unless each source has a hash."""
    paths, hashes = listed(values, "source-files"), listed(values, "source-sha256")
    # A list with a hash too many or too few names nothing for certain: the node counts as `unknown`, not as stale.
    return tuple(zip(paths, hashes, strict=True)) if paths and len(paths) == len(hashes) else ()


def listed(values: Values, key: str) -> list[str]:
    """Returns a frontmatter value as a list; splits invalid YAML (`[a [b], c]`) at its commas."""
    value = values.get(key, "")
    if isinstance(value, list):
        return value
    return [part.strip() for part in value.strip("[] ").split(",") if part.strip()]


class HeldNode(msgspec.Struct, frozen=True, gc=False):
    """A node as it is on disk or as this run will write it."""

    sha256: str
    values: Values
    lines: int
    tokens: int
    data: bytes | None = None  # its bytes, where this run would write them


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One period of one level. `sources`: what it should be made from now; `known`: what it says it was made from."""

    level: NodeLevel
    period: str
    path: str
    status: NodeStatus | None
    """None if there is no node. Fixed if the operator's records say so, whatever the file says."""
    freshness: Freshness
    ours: bool  # true if its bytes are those we last wrote
    sources: tuple[Source, ...]
    known: tuple[Source, ...]
    missing: tuple[str, ...]  # sources that cannot be read (decision C19)
    waiting: tuple[str, ...]  # children that are not there yet
    complete: bool  # true if every source is readable and every child fixed
    fixed_from: date  # the first day on which the calendar lets it be fixed (decision C2)
    doubt: str = ""  # the reason why its claims do not hold, where it is left out of what is made from it

    @property
    def exists(self) -> bool:
        return self.status is not None

    @property
    def fixed(self) -> bool:
        return self.status is NodeStatus.FIXED


class Action(StrEnum):
    """The step that a cycle takes with a node. `show`: only tells the operator."""

    CREATE = "create"
    REGENERATE = "regenerate"
    FINALISE = "finalise"
    SUPPLEMENT = "supplement"
    REOPEN = "reopen"
    SHOW = "show"


def is_due(node: Node, today: date) -> bool:
    """Tells whether calendar, children and sources let the node be fixed, tested every cycle (decisions C2, C12)."""
    return node.complete and today >= node.fixed_from


def wanted(node: Node, today: date, reopen: Collection[str]) -> Action | None:
    """Returns the action that a node needs; None if it is up to date."""
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
    """Returns the risk tier of an action (decisions §Risk tiers). `fixed`: the node is fixed afterwards."""
    if action is Action.REOPEN or (action in (Action.REGENERATE, Action.FINALISE) and not node.ours):
        return RiskTier.C
    return RiskTier.B if fixed or action is Action.SUPPLEMENT else RiskTier.A


def reason(node: Node, action: Action, *, fixed: bool) -> str:
    """Returns the reason for an action, in one line for the operator."""
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
    """Returns the remark on a node that the cycle does not change."""
    told = {
        Freshness.DAMAGED: " is fixed in the operator's records and was changed by another program",
        Freshness.FORGED: f" is omitted from what is made from it: {node.doubt}",
        Freshness.STALE_FIXED: " is fixed, written by another tool, and its sources changed since",
    }
    return node.path + told.get(node.freshness, ": its sources are gone")


SUMMARIES_PER_CYCLE = 1  # For each level: what costs a model's answer, or stands in for one. A drain has no such limit.
