"""Chooses which nodes a cycle makes: at most one summary a level, the newest first (tree §Per-Cycle Limit, C6)."""

from collections.abc import Sequence

from engine.tree.survey.node_state import Node
from engine.tree.survey.transitions import Action

SUMMARIES_PER_CYCLE = 1
"""For each level: what costs a model's answer, or stands in for one. A drain has no such limit."""


def newest_first(work: list[tuple[Node, Action]], newest: Sequence[str]) -> list[tuple[Node, Action]]:
    """Puts the newest period of all first where there is work on it, then the backlog from its oldest on.

    Were the newest of the backlog always first, an old day might wait for ever.
    """
    return [*work[-1:], *work[:-1]] if work and work[-1][0].period in newest else work
