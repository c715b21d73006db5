"""Holds what a cycle is given beside the snapshot and the policy."""

import msgspec

from engine.errors import UsageError
from engine.tree.calendar import is_period
from engine.tree.levels import LEVELS, NodeLevel, node_path, node_place


class TreeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a cycle. `drain` plans several cycles at once; `reopen` are paths of fixed nodes to make anew (C4,
    tier C). `take` are paths of nodes to be used although their claims do not hold; `take_flagged` lets flagged lines
    into ROOT."""

    drain: bool = False
    reopen: tuple[str, ...] = ()
    take: tuple[str, ...] = ()
    take_flagged: bool = False


def path_of(text: str) -> str:
    """The path of a node named by its path or its period (`2026-03-15`, `2026-W11`, `2026-03`, `root`)."""
    place = node_place(text)
    if place is not None and is_period(*place):
        return text
    if text.casefold() in ("", "root", "root.md"):
        return node_path(NodeLevel.ROOT, "")
    for level in LEVELS:
        if is_period(level, text):
            return node_path(level, text)
    raise UsageError("no such node", where=text, hint="a path, a day (2026-03-15), a week (2026-W11), a month or root")
