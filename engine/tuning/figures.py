"""Measures a topic on the judged messages: precision, recall and questions to the topic gate."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from random import Random

import msgspec

from engine.topics.decision import GateAnswer
from engine.topics.matcher import Matching
from engine.topics.topic import Topic
from engine.tuning.questions import JudgedMessage

MatcherFor = Callable[[Topic], Matching]  # a matcher of all topics, with this one in the place of its former self


class TopicFigures(msgspec.Struct, frozen=True):
    """Judged messages by outcome (`right`: activated and useful; `quiet`: neither), and the questions to the gate."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    quiet: int = 0
    gate_calls: int = 0

    @property
    def count(self) -> int:
        return self.right + self.wrong + self.missed + self.quiet

    @property
    def precision(self) -> float | None:
        """The share of activations that were useful; None without activations."""
        woke = self.right + self.wrong
        return self.right / woke if woke else None

    @property
    def recall(self) -> float | None:
        """The share of useful messages that activated the topic; None without useful ones."""
        should = self.right + self.missed
        return self.right / should if should else None

    @property
    def worth(self) -> float:
        """F1 with one right decision added, so that it is defined without any."""
        return (2 * self.right + 1) / (2 * self.right + self.wrong + self.missed + 1)


class JudgedOutcome(msgspec.Struct, frozen=True):
    useful: bool
    woke: bool
    asked: bool


class Trials:
    """Matches judged messages with edited topics; each topic and message once."""

    def __init__(self, matcher_for: MatcherFor, now: datetime) -> None:
        self.matcher_for, self.now = matcher_for, now
        self._known: dict[tuple[str, str, bool], JudgedOutcome] = {}

    def outcomes(self, topic: Topic, samples: Iterable[JudgedMessage]) -> tuple[JudgedOutcome, ...]:
        """Gives the outcomes in the order of the messages."""
        wanted = tuple(samples)
        if any(self._key(topic, sample) not in self._known for sample in wanted):
            matcher = self.matcher_for(topic)
            for sample in wanted:
                key = self._key(topic, sample)
                if key not in self._known:
                    self._known[key] = self._outcome(topic.id, sample, matcher)
        return tuple(self._known[self._key(topic, sample)] for sample in wanted)

    def figures(self, topic: Topic, samples: Iterable[JudgedMessage]) -> TopicFigures:
        return summed(self.outcomes(topic, samples))

    def _outcome(self, topic: str, sample: JudgedMessage, matcher: Matching) -> JudgedOutcome:
        result = matcher.match(sample.message, self.now)
        asked = any(decision.topic == topic and decision.gate is not GateAnswer.NONE for decision in result.decisions)
        return JudgedOutcome(sample.useful, topic in result.active, asked)

    @staticmethod
    def _key(topic: Topic, sample: JudgedMessage) -> tuple[str, str, bool]:
        return topic.sha256, sample.message.id, sample.useful


def summed(outcomes: Sequence[JudgedOutcome]) -> TopicFigures:
    pairs = [(outcome.woke, outcome.useful) for outcome in outcomes]
    return TopicFigures(
        right=pairs.count((True, True)),
        wrong=pairs.count((True, False)),
        missed=pairs.count((False, True)),
        quiet=pairs.count((False, False)),
        gate_calls=sum(outcome.asked for outcome in outcomes),
    )


FOLDS = 4  # parts of the judged messages, each held back once
_RESAMPLED = 1_000  # draws of the interval around the change
_SEED = 20260216  # any number that stays: the same judgements give the same plan

Samples = Sequence[JudgedMessage]
LearnAndTry = Callable[[Samples, Samples], Sequence[JudgedOutcome]]
"""Learns from the first samples and gives the outcomes on the second."""


class HeldBack(msgspec.Struct, frozen=True):
    """Figures on held-back judgements before and after, and the change of F1 in per cent with its 95 % interval."""

    before: TopicFigures
    after: TopicFigures
    change: int
    low: int
    high: int

    @property
    def words(self) -> str:
        return f"on held-back judgements F1 {self.change:+d} [{self.low:+d}, {self.high:+d}]"


def folded(samples: Samples) -> list[tuple[list[JudgedMessage], list[JudgedMessage]]]:
    """Gives the folds of a cross-validation: the samples to learn from and those held back."""
    # Sorted, so that every fold has its share of useful ones.
    ordered = sorted(samples, key=lambda sample: sample.useful)
    held = [ordered[start::FOLDS] for start in range(min(FOLDS, len(ordered)))]
    return [([sample for sample in ordered if sample not in fold], fold) for fold in held]


def measure_held_back(samples: Samples, before: LearnAndTry, after: LearnAndTry) -> HeldBack:
    """Measures the topic before and after on every fold."""
    pairs: list[tuple[JudgedOutcome, JudgedOutcome]] = []
    for known, held in folded(samples):
        pairs += zip(before(known, held), after(known, held), strict=True)
    old, new = (summed([pair[which] for pair in pairs]) for which in (0, 1))
    low, high = _interval(pairs)
    return HeldBack(old, new, round(100 * (new.worth - old.worth)), low, high)


def _interval(pairs: Sequence[tuple[JudgedOutcome, JudgedOutcome]]) -> tuple[int, int]:
    chance = Random(_SEED)  # noqa: S311 — the same judgements have to give the same plan
    changes = []
    for _ in range(_RESAMPLED if pairs else 0):
        drawn = chance.choices(pairs, k=len(pairs))
        changes.append(summed([new for _, new in drawn]).worth - summed([old for old, _ in drawn]).worth)
    changes.sort()
    ends = (changes[int(at * len(changes))] for at in (0.025, 0.975)) if changes else (0.0, 0.0)
    low, high = (round(100 * end) for end in ends)
    return low, high


MOST_FOLDS = 5  # parts of the judgements that are held back in turn; fewer where one kind has fewer messages
LEAST_OF_EACH = 2  # messages of either judgement without which none can be held out
_LEAST_SLOPE = 1e-6  # a curve that does not rise puts its cut anywhere, and is left out


def crossing(scores: Sequence[float], useful: Sequence[bool]) -> float | None:
    """Gives the score above which a message is more likely useful than not; None where the scores cannot tell. It is
    the mean over folds calibrated by Platt scaling, so that no single judgement decides."""
    rarer = min(sum(useful), len(useful) - sum(useful))
    if rarer < LEAST_OF_EACH:
        return None
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_validate

    # Scores lie close together: without so weak a penalty all of them would look alike to the curve.
    curve = LogisticRegression(C=1e4, class_weight="balanced")
    folds = StratifiedKFold(min(MOST_FOLDS, rarer))
    found = cross_validate(curve, np.array(scores)[:, None], np.array(useful), cv=folds, return_estimator=True)
    fitted = [(float(one.coef_[0, 0]), float(one.intercept_[0])) for one in found["estimator"]]
    cuts = [-start / slope for slope, start in fitted if slope > _LEAST_SLOPE]
    return sum(cuts) / len(cuts) if cuts else None
