"""Holds what a cycle is given beside the snapshot and the policy."""

from typing import Annotated

import msgspec

from engine.errors import UsageError
from engine.plans.system_request import SystemRequest, option
from engine.tree.levels import LEVELS, NodeLevel, is_period, node_path, node_place


class TreeRequest(SystemRequest, frozen=True, kw_only=True):
    """Options of a cycle. `drain` plans several cycles at once; `reopen` are paths of fixed nodes to make anew (C4,
    tier C). `take` are paths of nodes to be used although their claims do not hold; `take_flagged` lets flagged lines
    into ROOT."""

    drain: Annotated[bool, option("Several cycles in one plan, until nothing waits.")] = False
    reopen: Annotated[tuple[str, ...], option("Rebuild a fixed node (risk tier C), by path or period.", "NODE")] = ()
    take: Annotated[tuple[str, ...], option("Use this node all the same, by path or period.", "NODE")] = ()
    take_flagged: Annotated[bool, option("Let flagged lines into ROOT.")] = False

    @property
    def by_path(self) -> "TreeRequest":
        """The same, its nodes by their paths."""
        reopen, take = tuple(map(path_of, self.reopen)), tuple(map(path_of, self.take))
        return msgspec.structs.replace(self, reopen=reopen, take=take)


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
