"""Computes the figures of a ranking and their confidence: bootstrap over questions, paired to compare two rankings.
Questions with the same evidence are resampled together: they are easy or hard together, and resampling each alone would
make every interval too narrow."""

import random
from collections.abc import Sequence
from statistics import mean

import msgspec

RESAMPLES = 2_000  # draws of an interval of 95 %, which leaves a fortieth of them out at either end
SEED = 5  # any number that stays: the same answers give the same interval


class Interval(msgspec.Struct, frozen=True):
    """The middle 95 % of the values from resampled questions."""

    low: float
    high: float


class RetrievalFigures(msgspec.Struct, frozen=True):
    """Percentages of questions with their evidence among the first 1, 5 and 10 hits; the mean reciprocal rank."""

    questions: int
    hit1: float
    hit5: float
    hit10: float
    mrr: float


def figures(places: Sequence[float]) -> RetrievalFigures:
    """Computes the figures from the rank of each question's first evidence, from 1; infinite if it was not found."""
    if not places:
        return RetrievalFigures(0, 0.0, 0.0, 0.0, 0.0)
    hit1, hit5, hit10 = (100 * mean(place <= most for place in places) for most in (1, 5, 10))
    return RetrievalFigures(len(places), hit1, hit5, hit10, mean(1 / place for place in places))


def mrr_interval(places: Sequence[float], groups: Sequence[object]) -> Interval:
    """The interval of the mean reciprocal rank. Questions of the same entry in `groups` are resampled together."""
    return _interval([1 / place for place in places], groups)


def mrr_gain(places: Sequence[float], rival: Sequence[float], groups: Sequence[object]) -> tuple[float, Interval]:
    """The gain in mean reciprocal rank over the rival, with its interval, question by question."""
    gains = [1 / ours - 1 / theirs for ours, theirs in zip(places, rival, strict=True)]
    return (mean(gains) if gains else 0.0), _interval(gains, groups)


def hit1_gain(places: Sequence[float], rival: Sequence[float], groups: Sequence[object]) -> tuple[float, Interval]:
    """The gain over the rival in the percentage of questions with their evidence first, with its interval."""
    gains = [100.0 * ((ours <= 1) - (theirs <= 1)) for ours, theirs in zip(places, rival, strict=True)]
    return (mean(gains) if gains else 0.0), _interval(gains, groups)


def _interval(values: Sequence[float], groups: Sequence[object]) -> Interval:
    together: dict[object, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        together.setdefault(group, []).append(value)
    if not (parts := [(sum(some), len(some)) for some in together.values()]):
        return Interval(0.0, 0.0)
    chance = random.Random(SEED)  # noqa: S311 — draws samples, keeps no secret
    means = []
    for _ in range(RESAMPLES):
        drawn = chance.choices(parts, k=len(parts))
        means.append(sum(value for value, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    return Interval(means[RESAMPLES // 40], means[-RESAMPLES // 40])
