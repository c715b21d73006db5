"""Historical Summary: a line or a few for each past period, shorter and merged the less room there is (C13)."""

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.text.derived import derived_line
from engine.tree import calendar
from engine.tree.levels import NodeLevel, node_path
from engine.tree.nodes.digest import DigestLine
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.extent import shares
from engine.tree.nodes.keywords import Prices, merged, pick, telegram, weigh
from engine.workspace.values import LineSpan

LEAST_ROOM = 14
"""Tokens that a period needs to say anything; with less, periods are merged."""
WORDS_PER_LINE = 40
FRESH_MONTHS = 6
"""Months that are merged last."""


class Moved(NamedTuple):
    """Topics that a month's lines name: projects that are over, and topics that left the index for room."""

    over: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


NOTHING = Moved()


def telling(months: Mapping[str, Sequence[TopicEntry]]) -> dict[str, float]:
    """Computes how well each stem tells a month from the others: BM25's ln(1 + (N - n + ½) / (n + ½)), said in n."""
    words = [
        frozenset[str]().union(*(entry.words_with_topic.counts for entry in entries)) for entries in months.values()
    ]
    found = Counter(key for one in words for key in one)
    return {key: math.log(1 + (len(words) - n + 0.5) / (n + 0.5)) for key, n in found.items()}


class Period(msgspec.Struct, frozen=True):
    """The material of a line, or a few: its label, its entries, the topics it names, and the node it leads to."""

    label: str
    entries: tuple[TopicEntry, ...]
    moved: Moved
    span: LineSpan


def historical_lines(
    months: Mapping[str, Sequence[TopicEntry]],
    extents: Mapping[str, int],
    moved: Mapping[str, Moved],
    room: int,
    rare: Mapping[str, float],
    prices: Prices,
    *,
    every_name: bool = False,
) -> list[DigestLine]:
    """The lines of all months, oldest first, in about `room` tokens. `moved` is by month.

    `extents`: how much raw log each month's node stands for; `rare`: how well each word tells months apart.
    `every_name`: names all those topics whatever their room, where ROOT is over its cap anyway: none is cut off.

    A line for each day where all their words fit, else for each week; otherwise for months, which share lines as time
    goes on. A young tree's ROOT so tells its days apart, and leads to them directly.
    """
    for finer in (_by_day(months, moved), _by_week(months, moved)):
        rooms = [_price(period, prices) for period in finer] if LEAST_ROOM * len(finer) <= room else [room + 1]
        if sum(rooms) <= room:
            return [line for one, price in zip(finer, rooms, strict=True) for line in _lines(one, price, rare, prices)]
    groups = _groups(sorted(months), room)
    sizes = [1.0 + sum(extents.get(path, 0) for path in group) for group in groups]
    found: list[DigestLine] = []
    for group, share in zip(groups, shares(sizes), strict=True):
        found += _lines(_merged(group, months, moved), int(room * share), rare, prices, every_name=every_name)
    return found


def _price(period: Period, prices: Prices) -> int:
    """Tokens that a period's words take, each once, with its label on every line."""
    words = [prices.of(form) for form in merged([entry.words_with_topic for entry in period.entries]).surfaces.values()]
    return (
        sum(words)
        + LEAST_ROOM * (1 + len(words) // WORDS_PER_LINE)
        + sum(map(len, (*period.moved.over, *period.moved.left)))
    )


def _by_day(months: Mapping[str, Sequence[TopicEntry]], moved: Mapping[str, Moved]) -> list[Period]:
    return _finer(months, moved, lambda day: (day.isoformat(), node_path(NodeLevel.DAILY, day.isoformat())))


def _by_week(months: Mapping[str, Sequence[TopicEntry]], moved: Mapping[str, Moved]) -> list[Period]:
    def week(day: date) -> tuple[str, str]:
        return calendar.week_of(day), node_path(NodeLevel.WEEKLY, calendar.week_of(day))

    return _finer(months, moved, week)


def _finer(
    months: Mapping[str, Sequence[TopicEntry]],
    moved: Mapping[str, Moved],
    period_of: Callable[[date], tuple[str, str]],
) -> list[Period]:
    """Periods shorter than a month; what a month names stands with the last of them."""
    found: dict[str, Period] = {}
    for path in sorted(months):
        labels: dict[str, tuple[TopicEntry, ...]] = {}
        for entry in sorted(months[path], key=lambda entry: entry.day):
            label, node = period_of(entry.day)
            labels[label] = (*labels.get(label, ()), entry)
            found[label] = Period(label, labels[label], NOTHING, LineSpan(node, 1, 1))
        if labels:
            last = max(labels)
            found[last] = replace(found[last], moved=moved.get(_month(path), NOTHING))
    return [found[label] for label in sorted(found)]


def _merged(group: tuple[str, ...], months: Mapping[str, Sequence[TopicEntry]], moved: Mapping[str, Moved]) -> Period:
    entries = tuple(entry for path in group for entry in months[path])
    named = [moved.get(_month(path), NOTHING) for path in group]
    both = Moved(tuple(n for one in named for n in one.over), tuple(n for one in named for n in one.left))
    return Period(_label(group), entries, both, LineSpan(group[-1], 1, 1))


def _month(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _groups(paths: Sequence[str], room: int) -> list[tuple[str, ...]]:
    """Periods that share a line: single months as long as there is room, then years, then all before them as one."""
    singles: list[tuple[str, ...]] = [(path,) for path in paths]
    if room >= LEAST_ROOM * len(singles):
        return singles
    fresh = singles[-FRESH_MONTHS:] if room >= LEAST_ROOM * (FRESH_MONTHS + 1) else singles[-1:]
    years: dict[str, list[str]] = {}
    for path in paths[: len(paths) - len(fresh)]:
        years.setdefault(_month(path)[:4], []).append(path)
    merged = [tuple(group) for group in years.values()]
    most = max(1, room // LEAST_ROOM - len(fresh))
    if len(merged) > most:
        early = len(merged) - most + 1
        merged = [tuple(path for group in merged[:early] for path in group), *merged[early:]]
    return [*merged, *fresh]


def _lines(
    period: Period, room: int, rare: Mapping[str, float], prices: Prices, *, every_name: bool = False
) -> list[DigestLine]:
    one = merged([entry.words_with_topic for entry in period.entries])
    share = sys.maxsize if every_name else room // 3
    names = _named("over", period.moved.over, share, prices) + _named("also", period.moved.left, share, prices)
    head = f"- {period.label}: {names}"
    overhead = 9 + room // (WORDS_PER_LINE * 2) * 9
    left = room - overhead - sum(prices.of(word) for word in head.split()[2:])
    chosen = {key: one.surfaces[key] for key in pick(weigh(one, rare, prices), one, prices, max(0, left))}
    said: set[str] = set()
    texts = [text for entry in period.entries for text in (entry.topic, *(fact.text for fact in entry.facts))]
    words = telegram(one, texts, chosen, said).split()
    if not words:
        return [DigestLine(head.rstrip(" ;:"), (period.span,))]
    starts = range(0, len(words), WORDS_PER_LINE)
    parts = [derived_line(" ".join(words[at : at + WORDS_PER_LINE])) for at in starts]
    return [
        DigestLine(f"{head if n == 0 else f'- {period.label}: '}{part}", (period.span,)) for n, part in enumerate(parts)
    ]


def _named(word: str, names: Sequence[str], room: int, prices: Prices) -> str:
    kept: list[str] = []
    for name in dict.fromkeys(names):
        room -= sum(prices.of(part) for part in name.split()) + 1
        if room < 0:
            break
        kept.append(name)
    return f"{word}: {', '.join(kept)}; " if kept else ""


def _label(group: Sequence[str]) -> str:
    """`2026-03`, `2026-01~02`, `2019-03~2021-12`."""
    first, last = _month(group[0]), _month(group[-1])
    if first == last:
        return first
    return f"{first}~{last[5:]}" if first[:4] == last[:4] else f"{first}~{last}"
