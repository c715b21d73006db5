"""Historical Summary: what will matter of each period, fewer the less room ROOT's cap of tokens leaves (C13)."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, groupby
from typing import NamedTuple

import msgspec

from engine.text.derived import derived_line
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.node_frontmatter import SummaryLine
from engine.tree.nodes.phrases import telegram, words_in
from engine.tree.nodes.things import Prices
from engine.tree.nodes.topic_groups import choose
from engine.tree.nodes.worth import PhraseWeights, Said
from engine.tree.root.lines import node_of_days
from engine.tree.topic_headings import KEPT_WHOLE
from engine.workspace.values import LineSpan

LEAST_HISTORY = 24  # tokens below which Historical Summary shrinks no further
_SPARE = 8
"""Tokens that Historical Summary gives up beyond those over the cap: lines are whole, so that its room is seldom used
to the end."""

WrittenLines = tuple[Sequence[SummaryLine], int]  # all lines of ROOT, and the tokens of the file


def within_cap(write: Callable[[int, bool], WrittenLines], room: int, cap: int) -> WrittenLines:
    """Takes what `write` makes with Historical Summary as short as it must be; still over, nothing more is cut off.
    `write` takes the room of that section, and whether it names every topic that left, whatever its room."""
    lines, tokens = write(room, False)
    while tokens > cap and room > LEAST_HISTORY:
        room = max(LEAST_HISTORY, room - (tokens - cap) - _SPARE)
        lines, tokens = write(room, False)
    return (lines, tokens) if tokens <= cap else write(room, True)


LEAST_ROOM = 20  # tokens that a period needs to say anything; with less, periods are merged
WORDS = 20  # words of a phrase before small words are left out
WORDS_PER_LINE = 40  # words of one line of the history, which holds phrases of one topic
THRIFT = 0.8  # power of its tokens by which a longer phrase weighs less: ROOT has the least room of all
LABEL_PRICE = 9  # tokens of a period's label, with the line's end
FRESH_MONTHS = 6  # months that are merged last


class Moved(NamedTuple):
    """Topics that a month's lines name: projects that are over, and topics that left the index for room."""

    over: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


NOTHING = Moved()


class _Phrase(msgspec.Struct, frozen=True):
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
    return sorted(found, key=lambda line: line.text[2:].partition(": ")[0].partition("~")[0])


def _chosen(
    groups: Sequence[tuple[str, ...]],
    months: Mapping[str, Sequence[TopicEntry]],
    room: int,
    weights: PhraseWeights,
    prices: Prices,
) -> list[_Phrase]:
    """The phrases that matter most, of every period its best one first."""
    phrases: list[_Phrase] = []
    for group, path in ((own, path) for own in groups for path in own):
        for one in weights.said([entry for entry in months[path] if entry.type not in KEPT_WHOLE], WORDS):
            # Never a routine: it stands in Recent Patterns (decision C32).
            is_told = one.stands_alone and not one.again
            text = derived_line(telegram(one.text)).replace("; ", ", ") if is_told else ""
            # Behind the topic that it is about, where there is one.
            text = f"{one.entry.topic}: {text}" if one.entry.topic and text else text
            phrases += [_Phrase(one, text, prices.of(text), one.entry.day, group)] if text else []
    said = [msgspec.structs.replace(one.said, text=one.text) for one in phrases]
    price = [one.price + 2 for one in phrases]
    kept = choose(said, [one.group for one in phrases], price, room - LABEL_PRICE * len(groups), thrift=THRIFT, floor=1)
    wanted = Counter((one.fact.span, one.text) for one in kept)
    return [one for one in phrases if wanted[one.said.fact.span, one.text] > 0]


def _lines(phrases: Sequence[_Phrase], *, of_one_day: bool) -> Iterator[SummaryLine]:
    part: list[_Phrase] = []
    words, last = 0, tuple[object, ...]()
    for one in sorted(phrases, key=lambda one: (one.group, one.day, one.said.fact.span, one.text)):
        # Phrases of one group of months share lines; of a single month those of one day, or of one month of days.
        place: tuple[object, ...] = (
            one.group if len(one.group) > 1 else (one.group, one.day if of_one_day else one.day.month)
        )
        count = words_in(one.text)
        if part and (words + count > WORDS_PER_LINE or place != last):
            yield _line(part)
            part, words = [], 0
        part.append(one)
        words, last = words + count, place
    if part:
        yield _line(part)


def _line(part: Sequence[_Phrase]) -> SummaryLine:
    first, last = part[0], part[-1]
    label, path = _label(first.group), first.group[-1]
    if len(first.group) == 1:
        label = f"{first.day}" if first.day == last.day else f"{first.day}~{last.day.day:02}"
        path = node_of_days(first.day, last.day)
    topics = ["", *(one.said.entry.topic for one in part)]
    # A topic is named once where phrases about it follow each other.
    texts = (
        one.text.removeprefix(f"{topic}: ") if topic else one.text for one, topic in zip(part, topics, strict=False)
    )
    return SummaryLine(f"- {label}: {'; '.join(texts)}", (*(one.said.fact.span for one in part), LineSpan(path, 1, 1)))


def _groups(paths: Sequence[str], room: int) -> list[tuple[str, ...]]:
    """Periods that share a line: single months as long as there is room, then years, then all before them as one."""
    singles: list[tuple[str, ...]] = [(path,) for path in paths]
    if room >= LEAST_ROOM * len(singles):
        return singles
    fresh = singles[-FRESH_MONTHS:] if room >= LEAST_ROOM * (FRESH_MONTHS + 1) else singles[-1:]
    years = groupby(paths[: len(paths) - len(fresh)], key=lambda path: _month(path)[:4])
    merged = [tuple(group) for _, group in years]
    most = max(1, room // LEAST_ROOM - len(fresh))
    # The oldest years first: the longer ago, the less it is asked for.
    if len(merged) > most:
        early = len(merged) - most + 1
        merged = [tuple(chain.from_iterable(merged[:early])), *merged[early:]]
    return [*merged, *fresh]


def _names(group: Sequence[str], moved: Mapping[str, Moved], room: int, prices: Prices) -> list[SummaryLine]:
    """A line that names the topics of a period that are over, and those that left the index."""
    named = [moved.get(_month(path), NOTHING) for path in group]
    kinds = {"over": (one.over for one in named), "also": (one.left for one in named)}
    parts = []
    for word, names in kinds.items():
        kept: list[str] = []
        left = room
        for name in dict.fromkeys(chain.from_iterable(names)):
            left -= prices.of(name) + 1
            if left < 0:
                break
            kept.append(name)
        parts += [f"{word}: {', '.join(kept)}"] if kept else []
    return [SummaryLine(f"- {_label(group)}: {'; '.join(parts)}", (LineSpan(group[-1], 1, 1),))] if parts else []


def _month(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _label(group: Sequence[str]) -> str:
    """`2026-03`, `2026-01~02`, `2019-03~2021-12`."""
    first, last = _month(group[0]), _month(group[-1])
    if first == last:
        return first
    return f"{first}~{last[5:]}" if first[:4] == last[:4] else f"{first}~{last}"
