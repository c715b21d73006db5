"""Historical Summary: a line or a few for each past period, shorter and merged the less room there is (C13)."""

import math
from collections.abc import Mapping, Sequence
from datetime import date

from engine.tree.digest import Line
from engine.tree.entries import Entry
from engine.tree.keywords import Prices, merged, pick, telegram, weigh
from engine.workspace.derived import derived_line
from engine.workspace.values import LineSpan

LEAST_ROOM = 14
"""Tokens that a period needs to say anything; with less, periods are merged."""
WORDS_PER_LINE = 40
FRESH_MONTHS = 6
"""Months that are merged last."""


def historical_lines(
    months: Mapping[str, Sequence[Entry]],
    over: Mapping[str, Sequence[str]],
    room: int,
    rare: Mapping[str, float],
    prices: Prices,
    today: date,
) -> list[Line]:
    """The lines of all months, oldest first, in about `room` tokens. `over`: projects that ended, by month."""
    groups = _groups(sorted(months), room)
    sizes = [math.sqrt(1 + sum(len(entry.facts) for path in group for entry in months[path])) for group in groups]
    total = sum(sizes) or 1.0
    found: list[Line] = []
    for group, size in zip(groups, sizes, strict=True):
        entries = [entry for path in group for entry in months[path]]
        ended = [name for path in group for name in over.get(_month(path), ())]
        found += _group_lines(group, entries, ended, int(room * size / total), rare, prices)
    return found


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


def _group_lines(
    group: Sequence[str],
    entries: Sequence[Entry],
    ended: Sequence[str],
    room: int,
    rare: Mapping[str, float],
    prices: Prices,
) -> list[Line]:
    label = _label(group)
    span = LineSpan(group[-1], 1, 1)
    one = merged([entry.words_with_topic for entry in entries])
    head = f"- {label}: {_ended(ended, room // 3, prices)}"
    overhead = 9 + room // (WORDS_PER_LINE * 2) * 9
    left = room - overhead - sum(prices.of(word) for word in head.split()[2:])
    chosen = {key: one.surfaces[key] for key in pick(weigh(one, rare, prices), one, prices, max(0, left))}
    said: set[str] = set()
    texts = [text for entry in entries for text in (entry.topic, *(fact.text for fact in entry.facts))]
    words = telegram(one, texts, chosen, said).split()
    if not words:
        return [Line(head.rstrip(" ;:"), (span,))]
    starts = range(0, len(words), WORDS_PER_LINE)
    parts = [derived_line(" ".join(words[at : at + WORDS_PER_LINE])) for at in starts]
    return [Line(f"{head if n == 0 else f'- {label}: '}{part}", (span,)) for n, part in enumerate(parts)]


def _ended(names: Sequence[str], room: int, prices: Prices) -> str:
    kept: list[str] = []
    for name in dict.fromkeys(names):
        room -= sum(prices.of(word) for word in name.split()) + 1
        if room < 0:
            break
        kept.append(name)
    return f"over: {', '.join(kept)}; " if kept else ""


def _label(group: Sequence[str]) -> str:
    """`2026-03`, `2026-01~02`, `2019-03~2021-12`."""
    first, last = _month(group[0]), _month(group[-1])
    if first == last:
        return first
    return f"{first}~{last[5:]}" if first[:4] == last[:4] else f"{first}~{last}"
