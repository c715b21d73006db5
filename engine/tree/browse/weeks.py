"""Reads the tree as a calendar: every week with its days, their nodes and the tokens of their raw logs."""

from datetime import date, timedelta

import msgspec

from engine.tree.browse.browser import Browser, TreeNode
from engine.tree.levels import Freshness, NodeLevel, NodeStatus, days_of_week, node_path, week_start
from engine.workspace.dates import week_of

WHOLE_WEEKS = 104
"""Number of recent weeks that are listed even if empty; older ones only with a log or node."""


class CalendarDay(msgspec.Struct, frozen=True):
    """A day up to today, with its node and the tokens of its raw logs."""

    day: date
    node: TreeNode
    tokens: int

    @property
    def wants_doing(self) -> bool:
        """Tells whether a log has no node, or the node no longer agrees with its log."""
        node = self.node
        if node.status == NodeStatus.NEEDS_SUMMARIZATION or (not node.status and (node.children or node.gaps)):
            return True
        return node.freshness not in (Freshness.FRESH, Freshness.UNKNOWN, Freshness.MISSING)


class CalendarWeek(msgspec.Struct, frozen=True):
    """An ISO week and its days, none before the first log and none after today."""

    node: TreeNode
    days: tuple[CalendarDay, ...]


def weeks(browser: Browser) -> tuple[CalendarWeek, ...]:
    """Lists the weeks from the first log or node to today, oldest first."""
    periods, today = browser.survey.tree_files.periods, browser.survey.today
    known, days = periods[NodeLevel.WEEKLY], periods[NodeLevel.DAILY]
    if not known:
        return ()
    first = week_start(known[0])
    recent = (max(first, week_start(week_of(today)) - timedelta(weeks=n)) for n in range(WHOLE_WEEKS))
    begun = date.fromisoformat(days[0]) if days else first
    found = []
    for week in sorted({*known, *map(week_of, recent)}):
        here = (day for day in days_of_week(week) if begun <= day <= today or str(day) in days)
        node = browser.node(node_path(NodeLevel.WEEKLY, week))
        found.append(CalendarWeek(node, tuple(_day(browser, day) for day in here)))
    return tuple(found)


def _day(browser: Browser, day: date) -> CalendarDay:
    tree_files, files = browser.survey.tree_files, browser.survey.snapshot.files
    tokens = sum(files[path].tokens for path in tree_files.raws.get(day, ()) if path in files)
    return CalendarDay(day, browser.node(node_path(NodeLevel.DAILY, day.isoformat())), tokens)
