"""ISO weeks, the month of a week, and the day from which a period counts as over (decisions C1, C2, C3)."""

import re
from collections.abc import Iterable
from datetime import date, timedelta

from engine.tree.levels import NodeLevel
from engine.workspace.dates import parse_day, week_of

QUIET_DAYS = 8
"""A week or month is fixed from its last day + 8: a whole week has passed since it ended (decision C2)."""

_WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})\Z")
_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})\Z")


def month_of_week(week: str) -> str:
    """The month of the week's Thursday, as `2026-03` (decision C3)."""
    # Three days after Monday: a week belongs where most of its days lie, as ISO has it for years.
    return month_of(_later(week_start(week), 3))


def month_of(day: date) -> str:
    """The calendar month of a day, as `2026-03`. A day's month node is `month_of_week(week_of(day))`."""
    return f"{day.year:04}-{day.month:02}"


def week_start(week: str) -> date:
    """The Monday of an ISO week; `ValueError` for a week that does not exist."""
    found = _WEEK.match(week)
    if found is None:
        raise ValueError(f"not an ISO week: {week!r}")
    return date.fromisocalendar(int(found[1]), int(found[2]), 1)


def last_day(level: NodeLevel, period: str) -> date:
    """The last day of a period; `ValueError` for a period that does not exist."""
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
    """The first day on which the calendar lets a node be fixed; never for ROOT (tree §Fixed vs Tentative, C2)."""
    # A day is over when the next one begins; weeks and months wait for 8 days more (decision C2).
    return _later(last_day(level, period), 1 if level is NodeLevel.DAILY else QUIET_DAYS)


def parent_period(level: NodeLevel, period: str) -> str:
    """The period that this one rolls up into: a day's week, a week's month, nothing above."""
    match level:
        case NodeLevel.DAILY:
            return week_of(date.fromisoformat(period))
        case NodeLevel.WEEKLY:
            return month_of_week(period)
        case NodeLevel.MONTHLY | NodeLevel.ROOT:
            return ""


def is_period(level: NodeLevel, period: str) -> bool:
    """Tells whether such a day, week or month exists."""
    try:
        match level:
            case NodeLevel.DAILY:
                return parse_day(period) is not None
            case NodeLevel.WEEKLY:
                return bool(week_start(period))
            case NodeLevel.MONTHLY:
                return bool(_month_end(period))
            case NodeLevel.ROOT:
                return period == ""
    except ValueError:
        return False


def days_of_week(week: str) -> tuple[date, ...]:
    """Monday to Sunday; fewer at the very end of the calendar."""
    start = week_start(week)
    return tuple(start + timedelta(days=n) for n in range(7) if (date.max - start).days >= n)


def days_span(days: Iterable[date]) -> str:
    """`2026-03-09 to 2026-03-15`, as a week's `dates:` says it; one day alone as itself."""
    known = sorted(days)
    if not known:
        return ""
    return f"{known[0]} to {known[-1]}" if len(known) > 1 else str(known[0])


def _month_end(month: str) -> date:
    found = _MONTH.match(month)
    if found is None:
        raise ValueError(f"not a month: {month!r}")
    year, number = int(found[1]), int(found[2])
    if (year, number) == (date.max.year, 12):
        return date.max
    # The 28th and four days more is in the next month, however long this one is.
    first = date(year, number, 1)
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _later(day: date, days: int) -> date:
    """So many days later, or the last day there is."""
    return day + timedelta(days=min(days, (date.max - day).days))
