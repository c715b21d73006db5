"""Weighs what was said by how much it will matter: decisions, outcomes, facts, open ends, and what later days refer to.
The figures were chosen on the first half of MemAware's days: `tests/benchmarks/evaluate_tree.py`."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import msgspec

from engine.models.cue_matcher import QUESTION_ENDS
from engine.models.facts import fact_weight
from engine.tree.nodes.entries import Fact, TopicEntry
from engine.tree.nodes.phrases import (
    FEWEST_WORDS,
    Clause,
    is_addressed,
    names_nothing,
    standing,
    telling_clause,
    unlabelled,
    words_in,
)
from engine.tree.nodes.repeats import Repeats, shape, with_count
from engine.tree.nodes.things import rarity, stems

KINDS = {"decision": 2.0, "insight": 1.2, "done": 1.2, "open": 0.4, "": 0.2}
"""Weight of a sentence by what it is, before what it states: a decision outlasts what is open."""
RARE = 0.4  # power of how rare its words are: what each day says again tells no day from another
LATER, LATER_IN_ROOT = 0.15, 0.5
"""Weight of each doubling of the later days that come back to a sentence's telling words, by how many there can be:
what later days refer to is what is asked for. Without, ROOT says a quarter fewer of the facts."""
LATER_DAYS = 10
"""Days that are thought to come after the last one, so that a newer sentence is judged by few days with care."""
TELLING_WORDS = 6  # rarest words of a sentence by which later days are asked
QUESTION, FRAGMENT, ROUTINE, CUT = 0.25, 0.4, 0.2, 0.5
"""Share that is left of the weight of a question, of what has fewer words than a clause, of what comes again and again
(decisions, outcomes, facts and open ends stand before it, decision C32), and of a clause that is cut at a word."""
LEAST_WEIGHT = 0.08
"""Weight below which a phrase is small talk or a question, and stays out of ROOT however much room there is."""
CLOSERS = "\"'”’»)*_`」』）】 "
PRICE = 0.5  # power of its tokens by which a longer phrase weighs less


class Said(msgspec.Struct, frozen=True):
    """A fact, the entry it stands in, and its weight among all that were weighed with it."""

    entry: TopicEntry
    fact: Fact
    text: str
    weight: float
    times: int = 1  # the times that it came, as far as the sources say
    routine: bool = False  # true if it came again and again, in the same words but for one
    again: bool = False  # true if it came so often in the same words, and is no decision or lesson that was said again

    @property
    def stands_alone(self) -> bool:
        """Tells whether ROOT may say it: it is no small talk, no fragment, and speaks to nobody."""
        weight = self.weight / ROUTINE if self.routine else self.weight
        return weight >= LEAST_WEIGHT and words_in(self.text) >= FEWEST_WORDS and not is_addressed(self.text)


class PhraseWeights:
    """Knows how rare words are among some entries, and on which days each word comes up."""

    def __init__(self, entries: Sequence[TopicEntry], *, later: float = LATER) -> None:
        self._share = later
        self._rare = rarity([entry.stems for entry in entries])
        self._mean = sum(self._rare.values()) / max(1, len(self._rare))
        days: dict[str, set[date]] = {}
        for entry in entries:
            for key in entry.stems:
                days.setdefault(key, set()).add(entry.day)
        self._days: Mapping[str, set[date]] = {key: seen for key, seen in days.items() if len(seen) > 1}
        self._all_days = sorted({entry.day for entry in entries})
        self._repeats = _repeats(entries)

    def said(self, entries: Iterable[TopicEntry], most_words: int) -> list[Said]:
        """The facts as phrases, what came again once (C32); without those that name nothing, under no heading."""
        given = list(entries)
        here = _repeats(given)
        found = [
            self._one(entry, fact, clause, here, most_words)
            for entry in given
            for fact in entry.facts
            if (clause := telling_clause(fact.text, most_words)).text
            and (entry.topic or not names_nothing(clause.text))
        ]
        return _folded(found)

    def _one(self, entry: TopicEntry, fact: Fact, clause: Clause, here: Repeats, most_words: int) -> Said:
        text = clause.text
        routine = here.is_routine(fact.text) or self._repeats.is_routine(fact.text)
        weight = self._weight(entry, fact, text) * (ROUTINE if routine else 1) * (1 if clause.is_whole else CUT)
        again = here.comes_again(fact.text) or self._repeats.comes_again(fact.text)
        again = again and fact.kind not in ("decision", "insight")
        return Said(entry, fact, _wording(fact, text, most_words), round(weight, 6), fact.times, routine, again)

    def _weight(self, entry: TopicEntry, fact: Fact, text: str) -> float:
        own = stems(text)
        rare = sum(self._rare.get(key, self._mean) for key in own) / (1 + self._mean)
        stated = (KINDS.get(fact.kind, 0.0) + fact_weight(unlabelled(text))) * fact.prior * standing(text)
        stated *= QUESTION if fact.text.rstrip(CLOSERS).endswith(QUESTION_ENDS) else 1
        stated *= FRAGMENT if words_in(text) < FEWEST_WORDS else 1
        return float(stated * rare**RARE * (1 + self._share * math.log2(1 + self._later(own, entry.day))))

    def _later(self, own: frozenset[str], day: date) -> float:
        """Counts the later days on which two of its telling words come up together, as if all days came after it."""
        telling = sorted((key for key in own if key in self._days), key=lambda key: (-self._rare[key], key))
        found = Counter(one for key in telling[:TELLING_WORDS] for one in self._days[key] if one > day)
        after = len(self._all_days) - bisect_right(self._all_days, day)
        return sum(count > 1 for count in found.values()) * len(self._all_days) / (after + LATER_DAYS)


def _repeats(entries: Iterable[TopicEntry]) -> Repeats:
    return Repeats((fact.text, fact.times) for entry in entries for fact in entry.facts)


def _wording(fact: Fact, text: str, most_words: int) -> str:
    """The words of a model where it wrote any that are no more than those of the note's own clause."""
    return fact.written if fact.written and words_in(fact.written) <= min(most_words, words_in(text)) else text


def _folded(said: Sequence[Said]) -> list[Said]:
    """Each event of a topic once, as it was last told, with how often it came; decisions differ by their numbers."""
    groups: dict[tuple[str, str], list[Said]] = {}
    for one in said:
        own = one.text.casefold() if one.fact.kind == "decision" else shape(one.text)
        groups.setdefault((one.entry.key, own), []).append(one)
    return [_fold(group) if len(group) > 1 or group[0].times > 1 else group[0] for group in groups.values()]


def _fold(group: Sequence[Said]) -> Said:
    last = max(group, key=lambda one: (one.entry.day, one.fact.span))
    times, first = sum(one.times for one in group), min(one.fact.since or one.entry.day for one in group)
    text = with_count(last.text, times, first, last.entry.day, at_least=any(one.fact.derived for one in group))
    return msgspec.structs.replace(last, text=text, times=times, weight=max(one.weight for one in group))
