"""Reads a message request by request, and compares its candidates with each other and with all topics."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

import msgspec

from engine.topics.decision import TriggerEvidence
from engine.topics.patterns.sentiment import TOPIC_WORDS
from engine.topics.similarity.tier2 import TopicScores

LONGEST = 400
"""Most characters of a message that is read by requests: longer ones are none, and each reading costs a scoring."""
MOST = 4  # readings beside that of the whole message
_SHORTEST = 2  # words of a request, or characters in scripts without spaces

Evidence = Mapping[str, tuple[TriggerEvidence, ...]]


class MessageReading(msgspec.Struct, frozen=True):
    """A text, and the topics that it may be compared with; None for all."""

    text: str
    topics: frozenset[str] | None = None


def readings(text: str, evidence: Evidence, *, alone: bool) -> Iterator[MessageReading]:
    """Yields the requests of a message if triggers match in several: one that asks for two things is similar to neither
    topic as a whole. `alone`: some topics need no Tier 1 match, so that every request is read."""
    spans = [span for span in _spans(text) if _says_something(text[slice(*span)])] if len(text) <= LONGEST else []
    held = [
        frozenset(name for name, each in evidence.items() if any(start <= one.start < one.end <= end for one in each))
        for start, end in spans
    ]
    if len(spans) < 2 or (not alone and sum(map(bool, held)) < 2):
        return
    for span, names in islice(zip(spans, held, strict=True), MOST):
        if alone or names:
            yield MessageReading(text[slice(*span)], None if alone else names)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for between in TOPIC_WORDS["between"].finditer(text):
        yield start, between.start()
        start = between.end()
    yield start, len(text)


def _says_something(request: str) -> bool:
    plain = request.strip()
    return len(plain.split()) >= _SHORTEST or (len(plain) >= 2 * _SHORTEST and not plain.isascii())


COHORT = 3  # rivals whose mean figure the gate gets to know


class ScoredReading(NamedTuple):
    """One reading of the message, scored against all topics."""

    reading: MessageReading
    scores: TopicScores


class Standing(NamedTuple):
    """A candidate's standing in one reading."""

    best: bool
    score: float
    rivals: float
    by: TopicScores | None

    @property
    def rank(self) -> tuple[bool, float]:
        """The sort key: readings in which it is the best candidate come first."""
        return self.best, self.score


NOWHERE = Standing(True, 0.0, 0.0, None)

SURE, AGAINST = 0.42, 0.3
"""The least figure of a sure yes by words alone, after subtracting `AGAINST` times the rivals' mean."""


class Contest:
    """One reading: the candidates compared with each other and with all topics."""

    def __init__(self, reading: ScoredReading, rows: Mapping[str, int]) -> None:
        self._reading = reading.reading
        self._scores = reading.scores
        self._rows = rows
        self._figures = {name: round(float(reading.scores.calibrated[row]), 6) for name, row in rows.items()}
        self._most = max(self._figures.values(), default=0.0)
        self._top = {row: float(reading.scores.calibrated[row]) for row in _top_rows(reading.scores.calibrated)}
        self._mean = self._without(-1)

    def covers(self, name: str) -> bool:
        return self._reading.topics is None or name in self._reading.topics

    def standing(self, name: str) -> Standing:
        figure, row = self._figures[name], self._rows[name]
        rivals = self._without(row) if row in self._top else self._mean
        return Standing(figure >= self._most, figure, rivals, self._scores)

    @property
    def most(self) -> float:
        """The best candidate's figure, less its share of the rivals' mean."""
        standings = (self.standing(name) for name in self._rows if self.covers(name))
        return max((each.score - AGAINST * each.rivals for each in standings if each.best), default=0.0)

    def _without(self, row: int) -> float:
        others = [figure for each, figure in self._top.items() if each != row][:COHORT]
        return sum(others) / len(others) if others else 0.0


def is_sure(contests: Iterable[Contest]) -> bool:
    """Tells whether words alone give a sure yes."""
    return any(each.most >= SURE for each in contests)


def _top_rows(scores: Sequence[float]) -> list[int]:
    if len(scores) <= COHORT + 1:
        return nlargest(COHORT + 1, range(len(scores)), key=lambda row: scores[row])
    import numpy as np

    rows = np.argpartition(np.asarray(scores), -COHORT - 1)[-COHORT - 1 :]
    return sorted((int(row) for row in rows), key=lambda row: -scores[row])
