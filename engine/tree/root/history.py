"""Writes Historical Summary: what will matter of each period, the less the fuller ROOT is (C13)."""

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
"""Tokens that Historical Summary gives up beyond the excess, since whole lines rarely fill its room."""

WrittenLines = tuple[Sequence[SummaryLine], int]  # all lines of ROOT, and the tokens of the file


def within_cap(write: Callable[[int, bool], WrittenLines], room: int, cap: int) -> WrittenLines:
    """Calls `write` with less and less room for Historical Summary until ROOT fits its cap. If it never fits, nothing
    is cut. `write` takes the room, and whether to name every topic that left the index."""
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
    """Topics that a month's line names: completed projects, and topics that left the index for lack of room."""

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
    """Returns the lines of all months, oldest first, in about `room` tokens; a line's last span is its node. `moved`:
    topics by month. `every_name`: names all of them, as ROOT exceeds its cap anyway."""
    groups = _groups(sorted(months), room)
    # Names may take a third of a period's room: phrases say more than names do.
    names = [_names(group, moved, sys.maxsize if every_name else room // (3 * len(groups)), prices) for group in groups]
    left = room - sum(prices.of(line.text) for found in names for line in found)
    chosen = _chosen(groups, months, left, weights, prices)
    by_day = list(_lines(chosen, of_one_day=True))
    # One more for what stands between two phrases.
    fits = sum(phrase.price + 1 for phrase in chosen) + LABEL_PRICE * len(by_day) <= left
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
    """Chooses the phrases that matter most, first the best of every period."""
    phrases: list[_Phrase] = []
    for group, path in ((own, path) for own in groups for path in own):
        for phrase in weights.said([entry for entry in months[path] if entry.type not in KEPT_WHOLE], WORDS):
            # Never a routine: it stands in Recent Patterns (decision C32).
            is_told = phrase.stands_alone and not phrase.again
            text = derived_line(telegram(phrase.text)).replace("; ", ", ") if is_told else ""
            # Behind the topic that it is about, where there is one.
            text = f"{phrase.entry.topic}: {text}" if phrase.entry.topic and text else text
            phrases += [_Phrase(phrase, text, prices.of(text), phrase.entry.day, group)] if text else []
    said = [msgspec.structs.replace(phrase.said, text=phrase.text) for phrase in phrases]
    price = [phrase.price + 2 for phrase in phrases]
    kept = choose(
        said, [phrase.group for phrase in phrases], price, room - LABEL_PRICE * len(groups), thrift=THRIFT, floor=1
    )
    wanted = Counter((phrase.fact.span, phrase.text) for phrase in kept)
    return [phrase for phrase in phrases if wanted[phrase.said.fact.span, phrase.text] > 0]


def _lines(phrases: Sequence[_Phrase], *, of_one_day: bool) -> Iterator[SummaryLine]:
    part: list[_Phrase] = []
    words, last = 0, tuple[object, ...]()
    for phrase in sorted(phrases, key=lambda phrase: (phrase.group, phrase.day, phrase.said.fact.span, phrase.text)):
        # Phrases of one group of months share lines; of a single month those of one day, or of one month of days.
        place: tuple[object, ...] = (
            phrase.group if len(phrase.group) > 1 else (phrase.group, phrase.day if of_one_day else phrase.day.month)
        )
        count = words_in(phrase.text)
        if part and (words + count > WORDS_PER_LINE or place != last):
            yield _line(part)
            part, words = [], 0
        part.append(phrase)
        words, last = words + count, place
    if part:
        yield _line(part)


def _line(part: Sequence[_Phrase]) -> SummaryLine:
    first, last = part[0], part[-1]
    label, path = _label(first.group), first.group[-1]
    if len(first.group) == 1:
        label = f"{first.day}" if first.day == last.day else f"{first.day}~{last.day.day:02}"
        path = node_of_days(first.day, last.day)
    topics = ["", *(phrase.said.entry.topic for phrase in part)]
    # A topic is named once where phrases about it follow each other.
    texts = (
        one.text.removeprefix(f"{topic}: ") if topic else one.text for one, topic in zip(part, topics, strict=False)
    )
    return SummaryLine(
        f"- {label}: {'; '.join(texts)}", (*(phrase.said.fact.span for phrase in part), LineSpan(path, 1, 1))
    )


def _groups(paths: Sequence[str], room: int) -> list[tuple[str, ...]]:
    """Groups periods that share a line: single months if there is room, else years, else all older ones together."""
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
    """Returns a line that names a period's completed projects and the topics that left the index."""
    named = [moved.get(_month(path), NOTHING) for path in group]
    kinds = {
        "over": (moved_topics.over for moved_topics in named),
        "also": (moved_topics.left for moved_topics in named),
    }
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
    """Returns the label of a group: `2026-03`, `2026-01~02`, `2019-03~2021-12`."""
    first, last = _month(group[0]), _month(group[-1])
    if first == last:
        return first
    return f"{first}~{last[5:]}" if first[:4] == last[:4] else f"{first}~{last}"
