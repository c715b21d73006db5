"""Finds the node that a line of ROOT is about, where the line itself names no raw lines (tree §Step 5)."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from engine.tree import calendar
from engine.tree.levels import NodeLevel, node_path
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
    """The node to look into, and the topic to look for there; empty for the node as a whole."""

    span: LineSpan
    topic: str


def fact_label(entry: TopicEntry, fact: Fact) -> str:
    """The reference and the topic before a fact: `(2026-03-04:12) deploy: `."""
    return f"{write_ref(fact.span, year=True)} {entry.topic + ': ' if entry.topic else ''}"


def about_lines(lines: Sequence[str], updated: date, nodes: Collection[str]) -> Iterator[About | None]:
    """For each line of ROOT's body the node it is about. `updated` is the day its ages count from. A period's line
    leads to its day, its week or its (latest) month, a topic's to the day it was last mentioned, or to its week or
    month."""
    days = {found["name"]: day for line in lines if (found := _TOPIC.match(line)) and (day := _day(found, updated))}
    for line in lines:
        path = _period(line)
        topic = _TOPIC.match(line) or _PATTERN.match(line)
        if path is not None:
            yield About(LineSpan(path, 1, 1), "") if path in nodes else None
        elif topic is not None and topic["name"] in days:
            yield _nearest(topic["name"], days[topic["name"]], nodes)
        else:
            yield None


def _period(line: str) -> str | None:
    """The lowest node that holds the whole period of a line."""
    week, days, month = _WEEK.match(line), _DAYS.match(line), _month(line)
    if week is not None:
        return node_path(NodeLevel.WEEKLY, week[1])
    if days is not None:
        first = parse_day(days["first"])
        last = parse_day(days["first"][:8] + (days["last"] or days["first"][8:]))
        return node_of_days(first, last) if first and last else None
    return node_path(NodeLevel.MONTHLY, month) if month is not None else None


def node_of_days(first: date, last: date) -> str:
    """The path of the lowest node that holds two days of a month."""
    week = week_of(first)
    if first == last:
        return node_path(NodeLevel.DAILY, first.isoformat())
    if week == week_of(last):
        return node_path(NodeLevel.WEEKLY, week)
    return node_path(NodeLevel.MONTHLY, calendar.month_of_week(week))


def _month(line: str) -> str | None:
    """`2026-03` of `- 2026-03: …`, `- 2026-01~03: …` and `- 2025-11~2026-03: …`."""
    found, year = _PERIOD.match(line), _FIRST_YEAR.match(line)
    return f"{found[1] or year[1]}-{found[2]}" if found and year else None


def _day(found: re.Match[str], updated: date) -> date | None:
    age = int(found["age"])
    return updated - timedelta(days=age) if age < updated.toordinal() else None


def _nearest(name: str, day: date, nodes: Collection[str]) -> About | None:
    week = week_of(day)
    places = (
        (NodeLevel.DAILY, day.isoformat()),
        (NodeLevel.WEEKLY, week),
        (NodeLevel.MONTHLY, calendar.month_of_week(week)),
    )
    path = next((path for place in places if (path := node_path(*place)) in nodes), None)
    return About(LineSpan(path, 1, 1), name) if path else None
