"""Defines the levels, states, paths and periods of nodes, and when sources are summarised (C1 to C7)."""

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from enum import StrEnum

from engine.workspace.dates import parse_day, week_of


class NodeLevel(StrEnum):
    """The levels of nodes, bottom up. A raw log is no node."""

    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    ROOT = "root"


class NodeStatus(StrEnum):
    """`needs-summarization` comes from another tool and asks us for a summary (decision C22)."""

    TENTATIVE = "tentative"
    FIXED = "fixed"
    NEEDS_SUMMARIZATION = "needs-summarization"


class Freshness(StrEnum):
    """The agreement of a node with its sources. `missing`: no node yet. `stale`, `stale-fixed` (C4): sources changed.
    `damaged`: fixed in the operator's records, with other bytes. `unknown`: from another tool without sources.
    `orphan`: its sources are gone. `forged`: not ours, with false claims about its sources."""

    FRESH = "fresh"
    MISSING = "missing"
    STALE = "stale"
    STALE_FIXED = "stale-fixed"
    DAMAGED = "damaged"
    UNKNOWN = "unknown"
    ORPHAN = "orphan"
    FORGED = "forged"


ROOT_PATH = "memory/ROOT.md"
LEVELS = (NodeLevel.DAILY, NodeLevel.WEEKLY, NodeLevel.MONTHLY)
"""The levels below ROOT, bottom up, as a cycle makes them."""

_NODE = re.compile(r"memory/(daily|weekly|monthly)/([0-9]{4}-(?:W[0-9]{2}|[0-9]{2}(?:-[0-9]{2})?))\.md\Z")


def node_path(level: NodeLevel, period: str) -> str:
    """Returns the path of a period's node; `period` is empty for ROOT."""
    return ROOT_PATH if level is NodeLevel.ROOT else f"memory/{level.value}/{period}.md"


def node_place(path: str) -> tuple[NodeLevel, str] | None:
    """Returns the level and period of a node's path, even for an invalid date; None for another path."""
    if path == ROOT_PATH:
        return NodeLevel.ROOT, ""
    found = _NODE.match(path)
    return (NodeLevel(found[1]), found[2]) if found else None


LEAST_BYTES = 50
"""A shorter body is marked `sparse`; an empty one is never written (tree §Guards, decision C11)."""

THRESHOLDS = {NodeLevel.DAILY: (200, 5_000), NodeLevel.WEEKLY: (300, 3_000), NodeLevel.MONTHLY: (500, 4_000)}
"""Lines and tokens of sources up to which they are copied; above either they are summarised (decision C7)."""

MOST_PART = {NodeLevel.DAILY: 0.6, NodeLevel.WEEKLY: 0.4, NodeLevel.MONTHLY: 0.15}
"""Largest share of the raw logs' tokens for a summary: a month must be readable at a glance."""


def tips(level: NodeLevel, lines: int, tokens: int) -> bool:
    """Tells whether sources of this size must be summarised. `lines`: of the bodies, without frontmatter."""
    most_lines, most_tokens = THRESHOLDS[level]
    # `<=` copies: lines are what a reader sees, tokens what a context holds, and 200 lines may have 13,192 (C7).
    return lines > most_lines or tokens > most_tokens


def must_summarise(level: NodeLevel, lines: int, tokens: int, raw_tokens: int) -> bool:
    """Tells whether sources must be summarised, for their size or for the size of the raw logs behind them. Summaries
    may be copied where they are as small as a summary of them would be."""
    too_long = tips(level, 0, raw_tokens) and tokens > MOST_PART[level] * raw_tokens
    return tips(level, lines, tokens) or too_long


QUIET_DAYS = 8  # a week or month is fixed from its last day + 8: a whole week has passed since it ended (decision C2)

_WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})\Z")
_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})\Z")


def month_of_week(week: str) -> str:
    """Returns the month of the week's Thursday, as `2026-03` (decision C3): the month of all its days."""
    # Three days after Monday: a week belongs where most of its days lie, as ISO has it for years.
    return _later(week_start(week), 3).isoformat()[:7]


def week_start(week: str) -> date:
    """Returns the Monday of an ISO week; raises `ValueError` for an invalid week."""
    if (found := _WEEK.match(week)) is None:
        raise ValueError(f"not an ISO week: {week!r}")
    return date.fromisocalendar(int(found[1]), int(found[2]), 1)


def last_day(level: NodeLevel, period: str) -> date:
    """Returns the last day of a period; raises `ValueError` for an invalid period."""
    match level:
        case NodeLevel.DAILY:
            return date.fromisoformat(period)
        case NodeLevel.WEEKLY:
            return _later(week_start(period), 6)
        case NodeLevel.MONTHLY:
            return _month_end(period)
        case NodeLevel.ROOT:
            return date.max


def fixed_from(level: NodeLevel, period: str) -> date:
    """Returns the first day on which the calendar lets a node be fixed; `date.max` for ROOT (C2)."""
    # A day is over when the next one begins; weeks and months wait for 8 days more (decision C2).
    return _later(last_day(level, period), 1 if level is NodeLevel.DAILY else QUIET_DAYS)


def parent_period(level: NodeLevel, period: str) -> str:
    """Returns the week of a day or the month of a week; empty for other levels."""
    if level is NodeLevel.DAILY:
        return week_of(date.fromisoformat(period))
    return month_of_week(period) if level is NodeLevel.WEEKLY else ""


def is_period(level: NodeLevel, period: str) -> bool:
    """Tells whether this day, week or month exists."""
    if level in (NodeLevel.DAILY, NodeLevel.ROOT):
        return period == "" if level is NodeLevel.ROOT else parse_day(period) is not None
    try:
        return bool(last_day(level, period))
    except ValueError:
        return False


def days_of_week(week: str) -> tuple[date, ...]:
    """Returns the days from Monday to Sunday; fewer at the end of the calendar."""
    start = week_start(week)
    return tuple(start + timedelta(days=n) for n in range(7) if (date.max - start).days >= n)


def days_span(days: Iterable[date]) -> str:
    """Returns `2026-03-09 to 2026-03-15` for a week's `dates:`; for a single day only that day."""
    known = sorted(days)
    return " to ".join(str(day) for day in dict.fromkeys((*known[:1], *known[-1:])))


def _month_end(month: str) -> date:
    if (found := _MONTH.match(month)) is None:
        raise ValueError(f"not a month: {month!r}")
    year, number = int(found[1]), int(found[2])
    return date(year, number, monthrange(year, number)[1])


def _later(day: date, days: int) -> date:
    """Returns the day so many days later, at most `date.max`."""
    return day + timedelta(days=min(days, (date.max - day).days))
