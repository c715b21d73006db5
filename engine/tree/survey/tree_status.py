"""Counts the tree for `status` (CLI.md §JSON), and lists its findings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from engine.text.pattern_file import toml_file
from engine.tree.levels import LEVELS, ROOT_PATH, Freshness, NodeLevel, NodeStatus, node_path
from engine.tree.survey.node_status import Node, Source, sources_digest
from engine.tree.survey.survey import Survey
from engine.workspace.values import Finding, FindingKind

WORKING = "WORKING.md"
STALE = frozenset({Freshness.STALE, Freshness.STALE_FIXED})


def tree_status(survey: Survey, cap: int) -> dict[str, Any]:
    """Counts the nodes of each level by state. `backlog`: days whose log is not in a node yet."""
    levels = {level: list(survey.nodes(level)) for level in LEVELS}
    days = levels[NodeLevel.DAILY]
    counts: dict[str, Any] = {"raw": sum(len(paths) for paths in survey.tree_files.raws.values())}
    counts |= {level.value: _counted(nodes) for level, nodes in levels.items()}
    return counts | {
        "root": _root(survey, cap),
        "backlog": sum(_is_missing(node) or node.freshness in STALE for node in days),
        "quarantined": len(survey.tree_files.quarantined),
    }


def _counted(nodes: list[Node]) -> dict[str, int]:
    states = Counter(node.freshness for node in nodes)
    return {
        "fixed": sum(node.fixed for node in nodes),
        "tentative": sum(node.exists and not node.fixed for node in nodes),
        "missing": sum(map(_is_missing, nodes)),
        "stale": sum(states[state] for state in STALE),
        "damaged": states[Freshness.DAMAGED],
        "forged": states[Freshness.FORGED],
        "needs_summary": sum(node.status is NodeStatus.NEEDS_SUMMARIZATION for node in nodes),
    }


def _is_missing(node: Node) -> bool:
    return node.freshness is Freshness.MISSING and bool(node.sources or node.missing or node.waiting)


def _root(survey: Survey, cap: int) -> dict[str, Any]:
    facts = survey.snapshot.files.get(ROOT_PATH)
    return {
        "tokens": facts.tokens if facts else None,
        "cap": cap,
        "freshness": root_freshness(survey).value,
        "last_updated": facts.frontmatter.get("last-updated") if facts else None,
    }


def root_freshness(survey: Survey) -> Freshness:
    """Compares ROOT with its sources by their digest."""
    if (facts := survey.snapshot.files.get(ROOT_PATH)) is None:
        return Freshness.MISSING
    if (stated := facts.frontmatter.get("source-sha256")) is None:
        return Freshness.UNKNOWN
    return Freshness.FRESH if stated == sources_digest(root_sources(survey)) else Freshness.STALE


def root_sources(survey: Survey) -> list[Source]:
    """Returns the sources of ROOT with their hashes: the months, and WORKING.md, whose status wins (decision C25)."""
    paths = [node_path(NodeLevel.MONTHLY, month) for month in survey.tree_files.periods[NodeLevel.MONTHLY]]
    months = [(path, held.sha256) for path in paths if (held := survey.trusted(path)) is not None]
    working = survey.snapshot.files.get(WORKING)
    return [*months, (WORKING, working.sha256)] if working is not None and months else months


MOST = 20  # notices of one kind that are listed one by one; the rest is counted
_PLAN = "memdeck plan tree"


def tree_findings(survey: Survey) -> tuple[Finding, ...]:
    """Returns the findings about the tree; none if there is no node yet (decisions C4, C19, C21)."""
    if not any(survey.tree_files.nodes.values()):
        return ()
    nodes = [node for level in LEVELS for node in survey.nodes(level)]
    found: dict[str, list[Finding]] = {kind: [] for kind in _KINDS}
    states = notice_table()["notices"]
    for node in nodes:
        if row := states.get(node.freshness.value):
            what, do = row["what"].format(doubt=node.doubt), row["do"].format(period=node.period)
            found[row["id"]].append(_notice(row["id"], node.path, what, do))
        if node.missing:
            what = f"sources cannot be read: {', '.join(node.missing[:3])}{' …' if len(node.missing) > 3 else ''}"
            do = "make them readable; until then it stays tentative"
            found["tree_missing_sources"].append(_notice("tree_missing_sources", node.path, what, do))
    for item in survey.tree_files.quarantined:
        found["tree_date"].append(_notice("tree_date", item.path, item.reason, "rename the file to a day that exists"))
    return (*_gaps(nodes), *(finding for kind in found.values() for finding in _first_ones(kind)))


@cache
def notice_table() -> dict[str, dict[str, dict[str, str]]]:
    """Reads the words for each state of a node: remedies, and the notices of a check."""
    return toml_file(__package__, "notices.toml")


_KINDS = ("tree_damaged", "tree_forged", "tree_stale_fixed", "tree_missing_sources", "tree_orphan", "tree_date")
"""The kinds of notices in the order of the list."""


def _gaps(nodes: Iterable[Node]) -> Iterator[Finding]:
    missing = (node for node in nodes if node.freshness is Freshness.MISSING and node.sources)
    if days := [node.period for node in missing if node.level is NodeLevel.DAILY]:
        named = ", ".join(days[:3]) + (f" … {days[-1]}" if len(days) > 3 else "")
        many = "1 day has a log and no node" if len(days) == 1 else f"{len(days):,} days have a log and no node"
        yield _notice("tree_gap", "memory/daily", f"{many}: {named}", f"{_PLAN} --drain")


def _notice(what_id: str, where: str, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.NOTICE, id=what_id, where=where, what=what, fix=fix)


def _first_ones(findings: Sequence[Finding]) -> Iterator[Finding]:
    yield from findings[:MOST]
    more, last = len(findings) - MOST, findings[-1:]
    if more > 0:
        yield _notice(last[0].id, "memory", f"{more:,} more like these", last[0].fix)
