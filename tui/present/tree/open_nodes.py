"""Selects the nodes of the tree on screen: those that were read, are open, and match the filter."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.tree.browse.browser import RAW, TreeNode
from engine.tree.levels import ROOT_PATH

Below = Mapping[str, tuple[TreeNode, ...]]  # children by the path of their parent, as one read found them


class VisibleNode(NamedTuple):
    """A visible line of the tree: the node's path and its depth."""

    path: str
    depth: int


class OpenNodes(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the tree that was read and is shown; nothing below a closed node needs to be known."""

    known: Mapping[str, TreeNode] = {}
    below: Mapping[str, tuple[str, ...]] = {}  # children's paths, where they were read
    opened: frozenset[str] = frozenset({ROOT_PATH})
    only: frozenset[str] | None = None  # nodes that match the filter, and those above them; None without a filter
    matched: frozenset[str] = frozenset()
    hits: Mapping[str, int] = {}  # matching lines by path, where the text was looked through

    def anew(self) -> "OpenNodes":
        """Keeps the open nodes and the filter, and forgets what was read."""
        return replace(self, known={}, below={})

    def can_open(self, node: TreeNode) -> bool:
        return node.level != RAW and bool(node.children or self.below.get(node.path))

    def is_hit(self, path: str) -> bool:
        return path in self.matched

    def took(self, nodes: Collection[TreeNode], below: Below) -> "OpenNodes":
        fresh = {node.path: node for node in nodes}
        fresh |= {node.path: node for children in below.values() for node in children}
        paths = {path: tuple(node.path for node in children) for path, children in below.items()}
        return replace(self, known={**self.known, **fresh}, below={**self.below, **paths})

    def opening(self, paths: Collection[str]) -> "OpenNodes":
        return replace(self, opened=self.opened | frozenset(paths))

    def closing(self, path: str) -> "OpenNodes":
        return replace(self, opened=self.opened - {path})

    def filtered(self, matched: Collection[str], above: Collection[str], hits: Mapping[str, int] = {}) -> "OpenNodes":
        """Shows only the matching nodes and those above them, and opens those above."""
        matching = frozenset(matched)
        only = matching | frozenset(above) | {ROOT_PATH}
        return replace(self, only=only, matched=matching, hits=hits, opened=self.opened | frozenset(above))

    def unread(self) -> tuple[str, ...]:
        """Returns the open nodes whose children were not read yet."""
        return tuple(sorted(path for path in self.opened if path not in self.below))


def places(walk: OpenNodes) -> tuple[VisibleNode, ...]:
    return tuple(_from(walk, ROOT_PATH, 0))


def _from(walk: OpenNodes, path: str, depth: int) -> Iterator[VisibleNode]:
    yield VisibleNode(path, depth)
    if path in walk.opened:
        for child in walk.below.get(path, ()):
            if walk.only is None or child in walk.only or (path in walk.matched and walk.known[child].level == RAW):
                yield from _from(walk, child, depth + 1)


def index_of(places: Sequence[VisibleNode], path: str) -> int | None:
    return next((index for index, place in enumerate(places) if place.path == path), None)


def next_hit(walk: OpenNodes, places: Sequence[VisibleNode], at: int, by: int) -> int | None:
    """Returns the next matching line after `at`, or before it if `by` is -1, wrapping around; None without any."""
    order = range(1, len(places) + 1)
    return next((i for n in order if walk.is_hit(places[i := (at + by * n) % len(places)].path)), None)
