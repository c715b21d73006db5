"""The tree as a calendar: every week with its days, each with its node and the tokens of its raw logs."""

from datetime import date, timedelta

import msgspec

from engine.tree import calendar
from engine.tree.browse.browser import Browser, TreeNode
from engine.tree.levels import LEVELS, Freshness, NodeLevel, NodeStatus, node_path
from engine.workspace.dates import week_of

WHOLE_WEEKS = 104
"""Weeks back from today that are listed although nothing was written in them; older ones only with a log or node."""


class CalendarDay(msgspec.Struct, frozen=True):
    """A day up to today, with its node and the tokens of its raw logs."""

    day: date
    node: TreeNode
    tokens: int

    @property
    def wants_doing(self) -> bool:
        """Tells whether a log has no node, or the node is no longer true to its log."""
        node = self.node
        if node.status == NodeStatus.NEEDS_SUMMARIZATION or (not node.status and (node.children or node.gaps)):
            return True
        return node.freshness not in (Freshness.FRESH, Freshness.UNKNOWN, Freshness.MISSING)


class CalendarWeek(msgspec.Struct, frozen=True):
    """An ISO week, with its days up to today; those before the first log of all are left out as well."""

    node: TreeNode
    days: tuple[CalendarDay, ...]


def weeks(browser: Browser) -> tuple[CalendarWeek, ...]:
    """The weeks from the first log or node to today, oldest first."""
    periods = browser.survey.tree_files.periods
    known, today = periods[NodeLevel.WEEKLY], browser.survey.today
    if not known:
        return ()
    first = calendar.week_start(known[0])
    recent = (max(first, calendar.week_start(week_of(today)) - timedelta(weeks=n)) for n in range(WHOLE_WEEKS))
    found = sorted({*known, *map(week_of, recent)})
    begun = date.fromisoformat(periods[NodeLevel.DAILY][0]) if periods[NodeLevel.DAILY] else first
    return tuple(_week(browser, week, begun, today) for week in found)


def _week(browser: Browser, week: str, first: date, today: date) -> CalendarWeek:
    there = browser.survey.tree_files.periods[LEVELS[0]]
    days = [day for day in calendar.days_of_week(week) if first <= day <= today or str(day) in there]
    return CalendarWeek(browser.node(node_path(NodeLevel.WEEKLY, week)), tuple(_day(browser, day) for day in days))


def _day(browser: Browser, day: date) -> CalendarDay:
    tree_files, files = browser.survey.tree_files, browser.survey.snapshot.files
    tokens = sum(files[path].tokens for path in tree_files.raws.get(day, ()) if path in files)
    return CalendarDay(day, browser.node(node_path(NodeLevel.DAILY, day.isoformat())), tokens)
