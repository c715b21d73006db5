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
    NodeLevel.WEEKLY: CopyThreshold(300, 3_000),
    NodeLevel.MONTHLY: CopyThreshold(500, 4_000),
}
"""Lines and tokens of each level: at or below both a copy, above either a summary (decision C7)."""


MOST_PART = {NodeLevel.DAILY: 0.6, NodeLevel.WEEKLY: 0.4, NodeLevel.MONTHLY: 0.15}
"""Part of the raw logs' tokens that a summary may take: a month is found in ROOT only if it is read at a glance."""


def tips(level: NodeLevel, lines: int, tokens: int) -> bool:
    """Tells whether so much must be summarised. `lines` are those of the bodies, frontmatter not counted."""
    threshold = THRESHOLDS[level]
    # `<=` copies: lines are what a reader sees, tokens what a context holds, and 200 lines may have 13,192 (C7).
    return lines > threshold.lines or tokens > threshold.tokens


def must_summarise(level: NodeLevel, lines: int, tokens: int, raw_tokens: int) -> bool:
    """Tells whether sources must be summarised, for their size or for that of the logs that they stand for. A copy of
    summaries may stay where it is as small as a summary would be."""
    too_long = tips(level, 0, raw_tokens) and tokens > MOST_PART[level] * raw_tokens
    return tips(level, lines, tokens) or too_long
