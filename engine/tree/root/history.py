"""Historical Summary: the few things of each period that will matter, fewer and merged the less room there is (C13)."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from engine.text.derived import derived_line
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.phrase_choice import choose
from engine.tree.nodes.phrases import telegram, words_in
from engine.tree.nodes.things import Prices
from engine.tree.nodes.worth import PhraseWeights, Said
from engine.tree.root.lines import node_of_days
from engine.tree.topic_headings import KEPT_WHOLE
from engine.workspace.values import LineSpan

LEAST_ROOM = 20
"""Tokens that a period needs to say anything; with less, periods are merged."""
WORDS = 16
"""Words of a phrase before small words are left out."""
WORDS_PER_LINE = 40
"""Words of one line of the history, which holds phrases of one topic."""
THRIFT = 0.8
"""Power of its tokens by which a longer phrase weighs less: ROOT has the least room of all."""
LEAST_WEIGHT = 0.08
"""Weight below which a phrase is small talk or a question, and stays out however much room there is."""
LABEL_PRICE = 9
"""Tokens of a period's label, with the line's end."""
FRESH_MONTHS = 6
"""Months that are merged last."""


class Moved(NamedTuple):
    """Topics that a month's lines name: projects that are over, and topics that left the index for room."""

    over: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


NOTHING = Moved()


class _Phrase(msgspec.Struct, frozen=True):
    """Holds what one fact says in telegram style, its tokens, and the day and group of months that it belongs to."""

    said: Said
    text: str
    price: int
    day: date
    group: tuple[str, ...]


def historical_lines(
    months: Mapping[str, Sequence[TopicEntry]],
    moved: Mapping[str, Moved],
    room: int,
    weights: PhraseWeights,
    prices: Prices,
    *,
    every_name: bool = False,
) -> list[SummaryLine]:
    """The lines of all months, oldest first, in about `room` tokens; the last of a line's spans is its node. `moved` is
    by month. `every_name`: names all those topics whatever their room, where ROOT is over its cap anyway: none is cut
    off."""
    groups = _groups(sorted(months), room)
    # Names may take a third of a period's room: phrases say more than names do.
    names = [_names(group, moved, sys.maxsize if every_name else room // (3 * len(groups)), prices) for group in groups]
    left = room - sum(prices.of(line.text) for found in names for line in found)
    chosen = _chosen(groups, months, left, weights, prices)
    by_day = list(_lines(chosen, of_one_day=True))
    # One more for what stands between two phrases.
    fits = sum(one.price + 1 for one in chosen) + LABEL_PRICE * len(by_day) <= left
    lines = by_day if fits else list(_lines(chosen, of_one_day=False))
    found = [*lines, *(line for group in names for line in group)]
    return sorted(found, key=lambda line: _begins(line.text))


def _chosen(
    groups: Sequence[tuple[str, ...]],
    months: Mapping[str, Sequence[TopicEntry]],
    room: int,
    weights: PhraseWeights,
    prices: Prices,
) -> list[_Phrase]:
    """The phrases that matter most, of every period its best one first."""
    phrases = [
        _Phrase(one, text, prices.of(text), one.entry.day, group)
        for group in groups
        for path in group
        for one in weights.said([e for e in months[path] if e.type not in KEPT_WHOLE], WORDS)
        if one.weight >= LEAST_WEIGHT and (text := _written(one))
    ]
    said = [msgspec.structs.replace(one.said, text=one.text) for one in phrases]
    price = [one.price + 2 for one in phrases]
    kept = choose(said, [one.group for one in phrases], price, room - LABEL_PRICE * len(groups), thrift=THRIFT, floor=1)
    wanted = Counter((one.fact.span, one.text) for one in kept)
    return [one for one in phrases if wanted[one.said.fact.span, one.text] > 0]


def _written(one: Said) -> str:
    """The phrase, behind the topic that it is about where there is one."""
    text = derived_line(telegram(one.text)).replace("; ", ", ")
    return f"{one.entry.topic}: {text}" if one.entry.topic and text else text


def _lines(phrases: Sequence[_Phrase], *, of_one_day: bool) -> Iterator[SummaryLine]:
    part: list[_Phrase] = []
    words = 0
    for one in sorted(phrases, key=lambda one: (one.group, one.day, one.said.fact.span, one.text)):
        count = words_in(one.text)
        if part and (words + count > WORDS_PER_LINE or _apart(part[-1], one, of_one_day=of_one_day)):
            yield _line(part)
            part, words = [], 0
        part.append(one)
        words += count
    if part:
        yield _line(part)


def _apart(one: _Phrase, other: _Phrase, *, of_one_day: bool) -> bool:
    """Tells whether two phrases need lines of their own."""
    if len(one.group) > 1 or one.group != other.group:
        return one.group != other.group
    return one.day != other.day if of_one_day else one.day.month != other.day.month


def _line(part: Sequence[_Phrase]) -> SummaryLine:
    first, last = part[0], part[-1]
    label = _label(first.group) if len(first.group) > 1 else _days(first.day, last.day)
    path = first.group[-1] if len(first.group) > 1 else node_of_days(first.day, last.day)
    topics = ["", *(one.said.entry.topic for one in part)]
    said = [
        one.text.removeprefix(f"{topic}: ") if topic else one.text for one, topic in zip(part, topics, strict=False)
    ]
    spans = (*(one.said.fact.span for one in part), LineSpan(path, 1, 1))
    return SummaryLine(f"- {label}: {'; '.join(said)}", spans)


def _days(first: date, last: date) -> str:
    """`2026-03-09`, `2026-03-09~15`."""
    return f"{first}" if first == last else f"{first}~{last.day:02}"


def _begins(line: str) -> str:
    """The month or day on which a line's period begins."""
    return line[2:].partition(": ")[0].partition("~")[0]


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
    # The oldest years first: the longer ago, the less it is asked for.
    if len(merged) > most:
        early = len(merged) - most + 1
        merged = [tuple(path for group in merged[:early] for path in group), *merged[early:]]
    return [*merged, *fresh]


def _names(group: Sequence[str], moved: Mapping[str, Moved], room: int, prices: Prices) -> list[SummaryLine]:
    """A line that names the topics of a period that are over, and those that left the index."""
    named = [moved.get(_month(path), NOTHING) for path in group]
    over = _named("over", [name for one in named for name in one.over], room, prices)
    left = _named("also", [name for one in named for name in one.left], room, prices)
    text = "; ".join(part for part in (over, left) if part)
    return [SummaryLine(f"- {_label(group)}: {text}", (LineSpan(group[-1], 1, 1),))] if text else []


def _named(word: str, names: Sequence[str], room: int, prices: Prices) -> str:
    kept: list[str] = []
    for name in dict.fromkeys(names):
        room -= prices.of(name) + 1
        if room < 0:
            break
        kept.append(name)
    return f"{word}: {', '.join(kept)}" if kept else ""


def _month(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _label(group: Sequence[str]) -> str:
    """`2026-03`, `2026-01~02`, `2019-03~2021-12`."""
    first, last = _month(group[0]), _month(group[-1])
    if first == last:
        return first
    return f"{first}~{last[5:]}" if first[:4] == last[:4] else f"{first}~{last}"
