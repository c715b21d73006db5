"""The tree in numbers, for `status` (CLI.md §JSON)."""

from typing import Any

from engine.tree.levels import LEVELS, ROOT_PATH, Freshness, NodeLevel, NodeStatus, node_path
from engine.tree.survey.node_state import Node
from engine.tree.survey.source_hashes import Source, sources_digest
from engine.tree.survey.survey import Survey

WORKING = "WORKING.md"
STALE = frozenset({Freshness.STALE, Freshness.STALE_FIXED})


def tree_status(survey: Survey, cap: int) -> dict[str, Any]:
    """Counts the nodes of each level by their state. `backlog`: days whose log is not in its node yet."""
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
    return {
        "fixed": sum(node.fixed for node in nodes),
        "tentative": sum(node.exists and not node.fixed for node in nodes),
        "missing": sum(map(_is_missing, nodes)),
        "stale": sum(node.freshness in STALE for node in nodes),
        "damaged": sum(node.freshness is Freshness.DAMAGED for node in nodes),
        "forged": sum(node.freshness is Freshness.FORGED for node in nodes),
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
    """Compares ROOT with what it is made from."""
    facts = survey.snapshot.files.get(ROOT_PATH)
    if facts is None:
        return Freshness.MISSING
    stated = facts.frontmatter.get("source-sha256")
    if stated is None:
        return Freshness.UNKNOWN
    return Freshness.FRESH if stated == sources_digest(root_sources(survey)) else Freshness.STALE


def root_sources(survey: Survey) -> list[Source]:
    """Lists what ROOT is made from, with hashes: the months, and WORKING.md, whose status wins (decision C25)."""
    paths = [node_path(NodeLevel.MONTHLY, month) for month in survey.tree_files.periods[NodeLevel.MONTHLY]]
    months = [(path, held.sha256) for path in paths if (held := survey.trusted(path)) is not None]
    working = survey.snapshot.files.get(WORKING)
    return [*months, (WORKING, working.sha256)] if working is not None and months else months
