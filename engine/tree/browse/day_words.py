"""Scores each day for a question, by the words of its raw logs (BM25)."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import TypeVar

from engine.tree.nodes.things import terms

_CHANGED = 2  # last letters of a stem that its word may have otherwise, as `happi` of `happy` and `die` of `dying`


class AskedWords:
    """Counts given stems in texts. Splits only lines that contain the beginning of one."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = frozenset(keys)
        self._begin = tuple(sorted(map(_beginning, self.keys)))

    def may_all_stand_in(self, text: str) -> bool:
        """Tells whether a folded text may contain all the stems."""
        return all(beginning in text for beginning in self._begin)

    def counts(self, text: str) -> Counter[str]:
        """Counts each stem in a text."""
        found: Counter[str] = Counter()
        if any(beginning in folded(text) for beginning in self._begin):
            for line in text.split("\n"):
                here = folded(line)
                if any(beginning in here for beginning in self._begin):
                    found.update(key for key in _keys(line) if key in self.keys)
        return found


def _beginning(key: str) -> str:
    """Returns the part of a stem that all its word forms begin with."""
    is_stemmed = key.isascii() and key[-1:].isalpha()
    return key[: max(1, len(key) - _CHANGED)] if is_stemmed else key


def folded(text: str) -> str:
    """Returns the text in the letters of stems: lower case, straight apostrophes."""
    return text.casefold().replace("’", "'")


@lru_cache(maxsize=16_384)
def _keys(line: str) -> tuple[str, ...]:
    return tuple(term.key for term in terms(line))


K1, B = 1.2, 0.75
"""The usual parameters of BM25: how soon a repeated word adds nothing, and how much a long text counts less."""
STRETCH = 900  # characters of a stretch: what is asked for mostly stands in one talk, not all over a day
STRETCH_SHARE = 0.5  # weight of a day's best stretch beside its words as a whole
DATED, DATED_DAYS = 2.0, 7.0
"""Weight of a day that the question names; after `DATED_DAYS` days' distance, less than half of it is left."""

Place = TypeVar("Place", str, int)


class DayWords:
    """The words of every day's raw logs, ready to score questions."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        parts = [(path, part) for path, text in texts.items() for part in _stretches(text)]
        self._owners, self._parts = [path for path, _ in parts], [part for _, part in parts]
        self._days = len(texts)
        mean = sum(map(len, self._parts)) / max(1, len(self._parts)) or 1.0
        self._long = [K1 * (1 - B + B * len(part) / mean) for part in self._parts]

    def scores(self, question: Sequence[str]) -> dict[str, float]:
        """Scores each day: up to 1 for its words, and up to `STRETCH_SHARE` more for its best stretch."""
        asked = AskedWords(question)
        counts = {n: found for n, part in enumerate(self._parts) if (found := asked.counts(part))}
        days: dict[str, Counter[str]] = {}
        for n, found in counts.items():
            days.setdefault(self._owners[n], Counter()).update(found)
        # A day is not weighed down for being long: it only holds more talks.
        whole = _of_best(bm25(days, self._days, lambda _: K1))
        best: dict[str, float] = {}
        for n, score in bm25(counts, len(self._parts), lambda n: self._long[n]).items():
            best[self._owners[n]] = max(score, best.get(self._owners[n], 0.0))
        stretch = _of_best(best)
        return {path: score + STRETCH_SHARE * stretch[path] for path, score in whole.items()}


def near_dates(days: Mapping[str, date], named: Sequence[tuple[date, date]]) -> dict[str, float]:
    """Returns the score that each day gets for being near to the dates that a question names."""
    if not named:
        return {}
    far = {
        path: min((max(0, (first - day).days, (day - last).days)) for first, last in named)
        for path, day in days.items()
    }
    return {path: DATED * math.exp(-distance / DATED_DAYS) for path, distance in far.items()}


def _stretches(text: str) -> Iterator[str]:
    held = ""
    for line in text.split("\n"):
        if held and len(held) + len(line) > STRETCH:
            yield held
            held = ""
        held += line + "\n"
    yield held


def _of_best(scores: Mapping[str, float]) -> dict[str, float]:
    best = max(scores.values(), default=0.0)
    return {path: score / best for path, score in scores.items()} if best else {}


def bm25(counts: Mapping[Place, Mapping[str, int]], many: int, long: Callable[[Place], float]) -> dict[Place, float]:
    """Returns the BM25 score of each text. `many`: the number of all texts; `long`: K1 adjusted to a text's length."""
    holding = Counter(word for found in counts.values() for word in found)
    rare = {word: math.log(1 + (many - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    return {
        place: sum(rare[word] * n * (K1 + 1) / (n + long(place)) for word, n in sorted(found.items()))
        for place, found in counts.items()
    }
