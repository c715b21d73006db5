"""Weighs phrases by how much they will matter: decisions, outcomes, facts, and what later days mention again. The
figures were chosen on the first half of MemAware's days: `tests/benchmarks/evaluate_tree.py`."""

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
"""Weight that a sentence gets for its kind, before its words: a decision matters longer than an open question."""
RARE = 0.4  # power of how rare its words are: what each day says again tells no day from another
LATER, LATER_IN_ROOT = 0.15, 0.5
"""Weight for each doubling of the later days that mention a sentence's words again, in nodes and in ROOT. Without it
ROOT says a quarter fewer of the facts that are asked for."""
LATER_DAYS = 10
"""Days assumed to follow the last one, so that few real later days count with caution."""
TELLING_WORDS = 6  # rarest words of a sentence by which later days are asked
QUESTION, FRAGMENT, ROUTINE, CUT = 0.25, 0.4, 0.2, 0.5
"""Share of its weight that a question, a fragment, a routine or a clause cut at a word keeps. Decisions, outcomes,
facts and open ends rank before routines (decision C32)."""
LEAST_WEIGHT = 0.08
"""Weight below which a phrase is small talk or a question, which ROOT never says."""
CLOSERS = "\"'”’»)*_`」』）】 "
PRICE = 0.5  # power of its tokens by which a longer phrase weighs less


class Said(msgspec.Struct, frozen=True):
    """A fact as a phrase, its entry, and its weight among all phrases weighed with it."""

    entry: TopicEntry
    fact: Fact
    text: str
    weight: float
    times: int = 1  # the times that it came, as far as the sources say
    routine: bool = False  # true if it came again and again, in the same words but for one
    again: bool = False  # true if it came so often in the same words, and is no decision or lesson that was said again

    @property
    def stands_alone(self) -> bool:
        """Tells whether ROOT may say it: no small talk, no fragment, no address to a reader."""
        weight = self.weight / ROUTINE if self.routine else self.weight
        return weight >= LEAST_WEIGHT and words_in(self.text) >= FEWEST_WORDS and not is_addressed(self.text)


class PhraseWeights:
    """Knows the rarity of each word among some entries, and the days that mention it."""

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
        """Returns facts as weighed phrases, repeated events once (C32). Untitled ones that name nothing are dropped."""
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
        """Counts the later days that mention two of these words together, scaled as if all days came later."""
        telling = sorted((key for key in own if key in self._days), key=lambda key: (-self._rare[key], key))
        found = Counter(later for key in telling[:TELLING_WORDS] for later in self._days[key] if later > day)
        after = len(self._all_days) - bisect_right(self._all_days, day)
        return sum(count > 1 for count in found.values()) * len(self._all_days) / (after + LATER_DAYS)


def _repeats(entries: Iterable[TopicEntry]) -> Repeats:
    return Repeats((fact.text, fact.times) for entry in entries for fact in entry.facts)


def _wording(fact: Fact, text: str, most_words: int) -> str:
    """Returns the model's wording if it is no longer than the note's own clause; else that clause."""
    return fact.written if fact.written and words_in(fact.written) <= min(most_words, words_in(text)) else text


def _folded(said: Sequence[Said]) -> list[Said]:
    """Merges the repeats of an event in its latest wording, with their number; decisions differ by their numbers."""
    groups: dict[tuple[str, str], list[Said]] = {}
    for phrase in said:
        own = phrase.text.casefold() if phrase.fact.kind == "decision" else shape(phrase.text)
        groups.setdefault((phrase.entry.key, own), []).append(phrase)
    return [_fold(group) if len(group) > 1 or group[0].times > 1 else group[0] for group in groups.values()]


def _fold(group: Sequence[Said]) -> Said:
    last = max(group, key=lambda phrase: (phrase.entry.day, phrase.fact.span))
    times, first = sum(phrase.times for phrase in group), min(phrase.fact.since or phrase.entry.day for phrase in group)
    text = with_count(last.text, times, first, last.entry.day, at_least=any(phrase.fact.derived for phrase in group))
    return msgspec.structs.replace(last, text=text, times=times, weight=max(phrase.weight for phrase in group))
