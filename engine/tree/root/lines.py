"""Finds the node that a line of ROOT is about, if the line has no references (tree §Step 5)."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from engine.tree.levels import LEVELS, NodeLevel, month_of_week, node_path
from engine.tree.nodes.entries import Fact, TopicEntry
from engine.tree.source_references import write_ref
from engine.workspace.dates import parse_day, week_of
from engine.workspace.values import LineSpan

_PERIOD = re.compile(r"- (?:\d{4}-\d{2}~)?(?:(\d{4})-)?(\d{2}): ")
_DAYS = re.compile(r"- (?P<first>\d{4}-\d{2}-\d{2})(?:~(?P<last>\d{2}))?: ")
_WEEK = re.compile(r"- (\d{4}-W\d{2}): ")
_FIRST_YEAR = re.compile(r"- (\d{4})-")
_TOPIC = re.compile(r"- (?P<name>[^\[\]]+?) \[[^\[\],]+, (?P<age>\d{1,6})d")
_PATTERN = re.compile(r"- (?P<name>.+?): \d+\+? days since \d{4}-\d{2}-\d{2}\Z")


class About(NamedTuple):
    """A node, and the topic to look for in it; an empty topic means the whole node."""

    span: LineSpan
    topic: str


def fact_label(entry: TopicEntry, fact: Fact) -> str:
    """Returns the reference and topic before a fact: `(2026-03-04:12) deploy: `."""
    return f"{write_ref(fact.span, year=True)} {entry.topic + ': ' if entry.topic else ''}"


def about_lines(lines: Sequence[str], updated: date, nodes: Collection[str]) -> Iterator[About | None]:
    """Yields, for each line of ROOT's body, the node that it is about: the lowest one of its period, or of the last
    mention of its topic. `updated`: the day from which ages count."""
    days: dict[str, date] = {}
    for found in filter(None, map(_TOPIC.match, lines)):
        age = int(found["age"])
        if age < updated.toordinal():
            days[found["name"]] = updated - timedelta(days=age)
    for line in lines:
        path, topic = _period(line), _TOPIC.match(line) or _PATTERN.match(line)
        if path is None and topic is not None and topic["name"] in days:
            day, name = days[topic["name"]], topic["name"]
            week = week_of(day)
            periods = zip(LEVELS, (day.isoformat(), week, month_of_week(week)), strict=True)
            nearest = next((path for place in periods if (path := node_path(*place)) in nodes), None)
            yield About(LineSpan(nearest, 1, 1), name) if nearest else None
        else:
            yield About(LineSpan(path, 1, 1), "") if path is not None and path in nodes else None


def _period(line: str) -> str | None:
    """Returns the lowest node that contains a line's period, or the last month of a range like `2025-11~2026-03`."""
    if week := _WEEK.match(line):
        return node_path(NodeLevel.WEEKLY, week[1])
    if days := _DAYS.match(line):
        first = parse_day(days["first"])
        last = parse_day(days["first"][:8] + (days["last"] or days["first"][8:]))
        return node_of_days(first, last) if first and last else None
    month, year = _PERIOD.match(line), _FIRST_YEAR.match(line)
    return node_path(NodeLevel.MONTHLY, f"{month[1] or year[1]}-{month[2]}") if month and year else None


def node_of_days(first: date, last: date) -> str:
    """Returns the path of the lowest node that contains two days of one month."""
    week = week_of(first)
    if first == last:
        return node_path(NodeLevel.DAILY, first.isoformat())
    if week == week_of(last):
        return node_path(NodeLevel.WEEKLY, week)
    return node_path(NodeLevel.MONTHLY, month_of_week(week))
