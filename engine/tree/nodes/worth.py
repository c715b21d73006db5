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
from engine.tree.nodes.phrases import FEWEST_WORDS, names_nothing, standing, telling_clause, words_in
from engine.tree.nodes.things import rarity, stems

KINDS = {"decision": 2.0, "insight": 1.2, "done": 1.2, "open": 0.4, "": 0.2}
"""Weight of a sentence by what it is, before what it states: a decision outlasts what is open."""
RARE = 0.4
"""Power of how rare its words are: what each day says again tells no day from another."""
LATER, LATER_IN_ROOT = 0.15, 0.5
"""Weight of each doubling of the later days that come back to a sentence's telling words, by how many there can be:
what later days refer to is what is asked for. Without, ROOT says a quarter fewer of the facts."""
LATER_DAYS = 10
"""Days that are thought to come after the last one, so that a newer sentence is judged by few days with care."""
TELLING_WORDS = 6
"""Rarest words of a sentence by which later days are asked."""
QUESTION, FRAGMENT = 0.25, 0.4
"""Share that is left of the weight of a question, and of what has fewer words than a clause."""
CLOSERS = "\"'”’»)*_`」』）】 "
PRICE = 0.5
"""Power of its tokens by which a longer phrase weighs less."""


class Said(msgspec.Struct, frozen=True):
    """A fact, the entry it stands in, and its weight among all that were weighed with it."""

    entry: TopicEntry
    fact: Fact
    text: str
    weight: float


def weighed(entries: Sequence[TopicEntry], most_words: int) -> list[Said]:
    """Every fact of some entries as a phrase of at most so many words, with its weight."""
    return PhraseWeights(entries).said(entries, most_words)


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

    def said(self, entries: Iterable[TopicEntry], most_words: int) -> list[Said]:
        """The facts as phrases; without those that name nothing, where no heading names it either."""
        return [
            Said(
                entry,
                fact,
                (fact.written if fact.written and words_in(fact.written) <= min(most_words, words_in(text)) else text),
                self._weight(entry, fact, text),
            )
            for entry in entries
            for fact in entry.facts
            if not fact.ranked
            and (text := telling_clause(fact.text, most_words).text)
            and (entry.topic or not names_nothing(text))
        ]

    def _weight(self, entry: TopicEntry, fact: Fact, text: str) -> float:
        own = stems(text)
        rare = sum(self._rare.get(key, self._mean) for key in own) / (1 + self._mean)
        stated = (KINDS.get(fact.kind, 0.0) + fact_weight(text)) * fact.prior * standing(text)
        stated *= QUESTION if fact.text.rstrip(CLOSERS).endswith(QUESTION_ENDS) else 1
        stated *= FRAGMENT if words_in(text) < FEWEST_WORDS else 1
        later = 1 + self._share * math.log2(1 + self._later(own, entry.day))
        return round(float(stated * rare**RARE * later), 6)

    def _later(self, own: frozenset[str], day: date) -> float:
        """Counts the later days on which two of its telling words come up together, as if all days came after it."""
        telling = sorted((key for key in own if key in self._days), key=lambda key: (-self._rare[key], key))
        found = Counter(one for key in telling[:TELLING_WORDS] for one in self._days[key] if one > day)
        after = len(self._all_days) - bisect_right(self._all_days, day)
        return sum(count > 1 for count in found.values()) * len(self._all_days) / (after + LATER_DAYS)
