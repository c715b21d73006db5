"""The candidates of a message against each other and against all topics, in each reading of it."""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from engine.topics.readings import MessageReading
from engine.topics.similarity.tier2 import TopicScores

COHORT = 3
"""Rivals whose mean figure the gate gets to know."""


class ScoredReading(NamedTuple):
    """One reading of the message against all topics."""

    reading: MessageReading
    scores: TopicScores


class Standing(NamedTuple):
    """The standing of a candidate in one reading."""

    best: bool
    score: float
    rivals: float
    by: TopicScores | None
    as_said: bool = True

    @property
    def rank(self) -> tuple[bool, float]:
        """A reading in which it is the best candidate comes first."""
        return self.best, self.score


NOWHERE = Standing(True, 0.0, 0.0, None)


class Contest:
    """One reading of the message: the candidates against each other and against all topics."""

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
        return Standing(figure >= self._most, figure, rivals, self._scores, self._reading.as_said)

    def _without(self, row: int) -> float:
        """The mean figure of the best topics but this."""
        others = [figure for each, figure in self._top.items() if each != row][:COHORT]
        return sum(others) / len(others) if others else 0.0


def _top_rows(scores: Sequence[float]) -> list[int]:
    """The rows of the best figures, one more than the cohort."""
    if len(scores) <= COHORT + 1:
        return nlargest(COHORT + 1, range(len(scores)), key=lambda row: scores[row])
    import numpy as np

    rows = np.argpartition(np.asarray(scores), -COHORT - 1)[-COHORT - 1 :]
    return sorted((int(row) for row in rows), key=lambda row: -scores[row])
