"""Lists problems of the tree as notices of `check`: gaps, fixed nodes that no longer agree, sources that are gone. None
of it is damage of memdeck's own records, so none of it fails a check: each names the dry run that mends it."""

from collections.abc import Iterable, Iterator
from itertools import islice

from engine.tree.levels import LEVELS, Freshness, NodeLevel
from engine.tree.survey.node_state import Node
from engine.tree.survey.survey import Survey
from engine.workspace.findings import Finding, FindingKind

MOST = 20
"""Notices of one kind that are listed one by one; the rest is counted."""
_PLAN = "memdeck plan tree"


def tree_findings(survey: Survey) -> tuple[Finding, ...]:
    """Lists what a person should know of the tree; nothing where there is none yet (decisions C4, C19, C21)."""
    if not any(survey.tree_files.nodes.values()):
        return ()
    nodes = [node for level in LEVELS for node in survey.nodes(level)]
    skipped = [_quarantined(item.path, item.reason) for item in survey.tree_files.quarantined]
    by_kind: tuple[Iterable[Finding], ...] = (
        (_notice("tree_damaged", node, *_CHANGED) for node in nodes if node.freshness is Freshness.DAMAGED),
        (_forged(node) for node in nodes if node.freshness is Freshness.FORGED),
        (_notice("tree_stale_fixed", node, *_LATE) for node in nodes if node.freshness is Freshness.STALE_FIXED),
        (_unreadable(node) for node in nodes if node.missing),
        (_notice("tree_orphan", node, *_ORPHAN) for node in nodes if node.freshness is Freshness.ORPHAN),
        skipped,
    )
    return (*_gaps(nodes), *(finding for kind in by_kind for finding in _first(kind)))


_CHANGED = ("it is fixed, and its bytes are not those that were approved", f"undo that change, or {_PLAN} --reopen")
_LATE = (
    "it is fixed, and its sources changed since",
    f"{_PLAN} adds what came late as a supplement; --reopen rebuilds it",
)
_ORPHAN = ("what it was made from is gone", "bring the sources back, or leave it: it stays as it is")


def _gaps(nodes: Iterable[Node]) -> Iterator[Finding]:
    """Days with a log and no node, as one notice."""
    days = [
        node.period
        for node in nodes
        if node.level is NodeLevel.DAILY and node.freshness is Freshness.MISSING and node.sources
    ]
    if days:
        named = ", ".join(days[:3]) + (f" … {days[-1]}" if len(days) > 3 else "")
        many = "1 day has a log and no node" if len(days) == 1 else f"{len(days):,} days have a log and no node"
        yield _plain("tree_gap", "memory/daily", f"{many}: {named}", f"{_PLAN} --drain")


def _forged(node: Node) -> Finding:
    fix = f"{_PLAN} --reopen {node.period} rebuilds it, --take {node.period} takes it as it is; or move it away"
    return _notice("tree_forged", node, f"it is omitted from what is made from it: {node.doubt}", fix)


def _unreadable(node: Node) -> Finding:
    what = f"sources cannot be read: {', '.join(node.missing[:3])}{' …' if len(node.missing) > 3 else ''}"
    return _notice("tree_missing_sources", node, what, "make them readable; until then it stays tentative")


def _quarantined(path: str, reason: str) -> Finding:
    return _plain("tree_date", path, reason, "rename the file to a day that exists")


def _notice(what_id: str, node: Node, what: str, fix: str) -> Finding:
    return _plain(what_id, node.path, what, fix)


def _plain(what_id: str, where: str, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.NOTICE, id=what_id, where=where, what=what, fix=fix)


def _first(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The first of a kind, and how many more there are."""
    rest = iter(findings)
    shown = tuple(islice(rest, MOST))
    yield from shown
    more = sum(1 for _ in rest)
    if more:
        yield _plain(shown[-1].id, "memory", f"{more:,} more like these", shown[-1].fix)
