"""The sections of a day's, week's or month's summary, and its lines (decision C26)."""

import msgspec

from engine.tree.levels import NodeLevel
from engine.workspace.values import LineSpan

SECTIONS: dict[NodeLevel, tuple[tuple[str, str], ...]] = {
    NodeLevel.DAILY: (
        ("decision", "Key Decisions"),
        ("done", "Tasks Completed"),
        ("insight", "Lessons Learned"),
        ("open", "Open Items"),
    ),
    NodeLevel.WEEKLY: (
        ("decision", "Key Decisions"),
        ("done", "Tasks Completed"),
        ("insight", "Lessons Learned"),
        ("open", "Open Items"),
        ("names", "Entities"),
    ),
    NodeLevel.MONTHLY: (
        ("themes", "Key Themes"),
        ("decision", "Major Decisions"),
        ("done", "Completed Work"),
        ("insight", "Lessons"),
        ("open", "Carried Forward"),
    ),
}
"""By level, below `## Topics`: the kind of what stands in a section, and its heading."""


class SummaryLine(msgspec.Struct, frozen=True):
    """One line of a summary, and the lines it came from."""

    text: str
    spans: tuple[LineSpan, ...] = ()


class NodeSummary(msgspec.Struct, frozen=True):
    """The body of a summary, and what was left out, named."""

    lines: tuple[SummaryLine, ...]
    dropped: tuple[str, ...]
