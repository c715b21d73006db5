"""Weighs each day by what its raw logs say: the whole day's words, and its best stretch of lines, by BM25."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from engine.tree.nodes.keywords import terms

K1, B = 1.2, 0.75
STRETCH = 900
"""Characters of a stretch: what is asked for mostly stands in one talk, not all over a day."""
STRETCH_SHARE = 0.5
"""Weight of a day's best stretch beside its words as a whole."""
DATED, DATED_DAYS = 2.0, 7.0
"""Weight of a day that a question names, and the days after which less than half of it is left."""


class DayWords:
    """The words of every day, counted once; each question is weighed against them."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """`texts`: by the path of its node, what the logs of a day say."""
        self._paths = list(texts)
        days: list[Counter[str]] = []
        stretches: list[Counter[str]] = []
        owners: list[int] = []
        for place, text in enumerate(texts.values()):
            parts = [_words(part) for part in _stretches(text)]
            stretches += parts
            owners += [place] * len(parts)
            days.append(_summed(parts))
        # A day is not weighed down for being long: it only holds more talks.
        self._days = BagScores(days, b=0.0)
        self._stretches, self._owners = BagScores(stretches, b=B), owners

    def scores(self, question: Sequence[str]) -> dict[str, float]:
        """Scores how well each day answers: up to 1 for its words, and up to `STRETCH_SHARE` for its best stretch."""
        found = _of_best(self._days.scores(question))
        best: dict[int, float] = {}
        for place, score in self._stretches.scores(question).items():
            best[self._owners[place]] = max(score, best.get(self._owners[place], 0.0))
        stretch = _of_best(best)
        return {
            self._paths[n]: found.get(n, 0.0) + STRETCH_SHARE * stretch.get(n, 0.0)
            for n in found.keys() | stretch.keys()
        }


def near_dates(days: Mapping[str, date], named: Sequence[tuple[date, date]]) -> dict[str, float]:
    """Gives what a question that names days adds to each day, by how far it lies from them."""
    if not named:
        return {}
    far = {path: min(_days_from(day, first, last) for first, last in named) for path, day in days.items()}
    return {path: DATED * math.exp(-distance / DATED_DAYS) for path, distance in far.items()}


def _days_from(day: date, first: date, last: date) -> int:
    return max(0, (first - day).days, (day - last).days)


def _words(text: str) -> Counter[str]:
    return Counter(term.key for term in terms(text))


def _summed(bags: Sequence[Counter[str]]) -> Counter[str]:
    whole: Counter[str] = Counter()
    for bag in bags:
        whole.update(bag)
    return whole


def _stretches(text: str) -> Iterator[str]:
    held = ""
    for line in text.split("\n"):
        if held and len(held) + len(line) > STRETCH:
            yield held
            held = ""
        held += line + "\n"
    yield held


def _of_best(scores: Mapping[int, float]) -> dict[int, float]:
    best = max(scores.values(), default=0.0)
    return {place: score / best for place, score in scores.items()} if best else {}


class BagScores:
    """BM25 over some bags of words; `b` is how much long ones are weighed down."""

    def __init__(self, bags: Sequence[Counter[str]], *, b: float) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, bag in enumerate(bags):
            for word, count in bag.items():
                self._postings.setdefault(word, []).append((place, count))
        lengths = [bag.total() for bag in bags]
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        self._long = [K1 * (1 - b + b * length / mean) for length in lengths]

    def scores(self, question: Sequence[str]) -> dict[int, float]:
        found: dict[int, float] = {}
        for word in sorted(set(question)):
            postings = self._postings.get(word, [])
            rare = math.log(1 + (len(self._long) - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, count in postings:
                found[place] = found.get(place, 0.0) + rare * count * (K1 + 1) / (count + self._long[place])
        return found
