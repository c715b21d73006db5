"""Asks the engine for the Tree page in a thread; nothing here touches the screen."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from engine.errors import MemdeckError
from engine.tree.browse.browser import Browser, TreeNode
from engine.tree.levels import LEVELS, ROOT_PATH, Freshness, NodeStatus, node_path
from engine.tree.source_references import raw_day
from engine.tree.survey.node_status import Node
from tui.present.tree.node_text import NodeText
from tui.present.tree.open_nodes import Below

if TYPE_CHECKING:
    from engine.services.engine import Engine
    from engine.tree.browse.find import TreeHits

STATUS_WORDS = frozenset({*NodeStatus, *Freshness})  # words that filter by how a node stands


class OpenedNode(msgspec.Struct, frozen=True, kw_only=True):
    """The tree as it is now: ROOT, and the children of every open node."""

    browser: Browser
    root: TreeNode
    below: Below
    today: date
    empty: bool  # true if there is neither a log nor a node


class FilteredTree(NamedTuple):
    """The nodes that match a filter, those above them, and matching lines by path."""

    text: str
    matched: frozenset[str]
    above: frozenset[str]
    first: str  # the match to go to; empty where there is none
    hits: Mapping[str, int] = {}
    deep: bool = False  # true if the text of all nodes and logs was looked through


def open_tree(engine: "Engine", wanted: Collection[str], *, first: bool) -> OpenedNode:
    """Reads the tree with the nodes `wanted` open; `first` opens ROOT to the latest week."""
    browser = engine.tree.browse()
    below = read_below(browser, wanted)
    if first:
        below |= _first_look(browser)
    tree_files = browser.survey.tree_files
    root = browser.node(ROOT_PATH)
    empty = not any(tree_files.periods.values()) and not root.status
    return OpenedNode(browser=browser, root=root, below=below, today=browser.survey.today, empty=empty)


def _first_look(browser: Browser) -> dict[str, tuple[TreeNode, ...]]:
    """Returns the children of ROOT, of its latest month and of that month's latest week."""
    below: dict[str, tuple[TreeNode, ...]] = {}
    path = ROOT_PATH
    for _ in range(3):
        below[path] = browser.children(path, empty_days=True)
        if not below[path]:
            break
        path = below[path][0].path
    return below


def read_below(browser: Browser, paths: Collection[str]) -> dict[str, tuple[TreeNode, ...]]:
    """Returns the children of each node; of a week all its days so far."""
    return {path: browser.children(path, empty_days=True) for path in paths}


def read_text(browser: Browser, path: str, needle: str) -> NodeText:
    """Reads a node's lines, and which of them match the search."""
    from engine.tree.browse.find import LineMatcher

    return NodeText(path, browser.lines(path), LineMatcher(needle) if needle else None, needle)


def place_of(name: str) -> str | None:
    """Returns the path of a node or raw log by its path or period (`2026-W11`, `root`); None for another name."""
    from engine.tree.cycle.idle import path_of

    try:
        return name if raw_day(name) is not None else path_of(name)
    except MemdeckError:
        return None


def line_of(text: NodeText, topic: str) -> int:
    """Returns the index of the first line that names a topic; 0 without one."""
    from engine.tree.browse.find import LineMatcher

    matches = LineMatcher(topic)
    return next((n for n, line in enumerate(text.lines) if n >= text.body and matches(line.text)), 0)


def sift(browser: Browser, text: str) -> FilteredTree:
    """Returns the nodes whose period, status or topic matches, without reading any text."""
    from engine.tree.browse.find import LineMatcher, days_named

    wanted = text.casefold().strip()
    matched = {
        path for path in _paths(browser) if wanted in path.removeprefix("memory/").removesuffix(".md").casefold()
    }
    if wanted in STATUS_WORDS:
        nodes = (node for level in browser.survey.tree_files.periods for node in browser.survey.nodes(level))
        matched |= {n.path for n in nodes if _stands(n, wanted) and (n.exists or n.sources)}
    matched |= {*browser.topic_paths(LineMatcher(text)), *days_named(browser, text)}
    return _sifted(browser, text, matched)


def _stands(node: Node, wanted: str) -> bool:
    """Tells whether a word names a node's state; `stale` also names `stale-fixed`."""
    fresh = node.freshness.value
    return wanted in (node.status or "", fresh, *fresh.split("-"))


def sift_topic(browser: Browser, name: str) -> FilteredTree:
    """Returns the nodes that state exactly this topic."""
    wanted = " ".join(name.casefold().split())
    return _sifted(browser, name, browser.topic_paths(lambda topic: " ".join(topic.casefold().split()) == wanted))


def sifted(browser: Browser, reach: "TreeHits") -> FilteredTree:
    """Adds the matches in the text to those by name."""
    matched = {*sift(browser, reach.text).matched, *reach.paths}
    return _sifted(browser, reach.text, matched, reach.paths)._replace(deep=True)


def _sifted(browser: Browser, text: str, matched: Collection[str], hits: Mapping[str, int] = {}) -> FilteredTree:
    first = min(sorted(matched, reverse=True), key=lambda path: len(browser.breadcrumbs(path)), default="")
    return FilteredTree(text, frozenset(matched), _above(browser, matched), first, hits)


def _paths(browser: Browser) -> list[str]:
    tree_files = browser.survey.tree_files
    nodes = [node_path(level, period) for level in LEVELS for period in tree_files.periods[level]]
    return nodes + [path for paths in tree_files.raws.values() for path in paths]


def _above(browser: Browser, paths: Collection[str]) -> frozenset[str]:
    ancestors: set[str] = set()
    for path in paths:
        above = browser.parent(path)
        while above is not None and above not in ancestors:
            ancestors.add(above)
            above = browser.parent(above)
    return frozenset(ancestors)
