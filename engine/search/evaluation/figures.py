"""Figures of a ranking, and how sure they are: bootstrap over questions, in pairs where two rankings are compared.
Questions with the same evidence are drawn together: they are easy or hard together, and taking each for itself would
make every figure look surer than it is."""

import random
from collections.abc import Sequence
from statistics import mean

import msgspec

RESAMPLES = 2_000  # draws of an interval of 95 %, which leaves a fortieth of them out at either end
SEED = 5  # any number that stays: the same answers give the same interval


class Interval(msgspec.Struct, frozen=True):
    """The middle 95 % of what resampled questions give."""

    low: float
    high: float


class RetrievalFigures(msgspec.Struct, frozen=True):
    """Shares of questions with their evidence among the first 1, 5 and 10, in per cent; the mean reciprocal rank."""

    questions: int
    hit1: float
    hit5: float
    hit10: float
    mrr: float


def figures(places: Sequence[float]) -> RetrievalFigures:
    """Of the place of the first evidence for each question, counted from 1; infinite where it was not found."""
    if not places:
        return RetrievalFigures(0, 0.0, 0.0, 0.0, 0.0)
    hit1, hit5, hit10 = (100 * mean(place <= most for place in places) for most in (1, 5, 10))
    return RetrievalFigures(len(places), hit1, hit5, hit10, mean(1 / place for place in places))


def mrr_interval(places: Sequence[float], groups: Sequence[object]) -> Interval:
    """Of the mean reciprocal rank. `groups`: what each question is drawn together with."""
    return _interval([1 / place for place in places], groups)


def mrr_gain(places: Sequence[float], rival: Sequence[float], groups: Sequence[object]) -> tuple[float, Interval]:
    """By how much the mean reciprocal rank is above the rival's, question by question."""
    gains = [1 / ours - 1 / theirs for ours, theirs in zip(places, rival, strict=True)]
    return (mean(gains) if gains else 0.0), _interval(gains, groups)


def hit1_gain(places: Sequence[float], rival: Sequence[float], groups: Sequence[object]) -> tuple[float, Interval]:
    """By how many per cent of the questions more have their evidence first than with the rival."""
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
        means.append(sum(one for one, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    return Interval(means[RESAMPLES // 40], means[-RESAMPLES // 40])
