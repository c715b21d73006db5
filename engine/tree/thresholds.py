"""Decides when sources are copied and when they are summarised (tree §Smart Threshold Table, decision C7)."""

import msgspec

from engine.tree.levels import NodeLevel

LEAST_BYTES = 50
"""A body shorter than this is marked `sparse`; an empty one is never written (tree §Guards, decision C11)."""


class CopyThreshold(msgspec.Struct, frozen=True):
    """Up to and including both figures the sources are copied; above either one they are summarised."""

    lines: int
    tokens: int


THRESHOLDS = {
    NodeLevel.DAILY: CopyThreshold(200, 5_000),
    NodeLevel.WEEKLY: CopyThreshold(300, 7_500),
    NodeLevel.MONTHLY: CopyThreshold(500, 12_500),
}


def tips(level: NodeLevel, lines: int, tokens: int) -> bool:
    """Tells whether so much must be summarised. `lines` are those of the bodies, frontmatter not counted."""
    threshold = THRESHOLDS[level]
    return lines > threshold.lines or tokens > threshold.tokens
