"""Measures a change of a topic on judgements that it was not made by, with the interval of that.

The judgements are divided into folds, each with its share of either answer. What the other folds would lead to is
measured on each, so that no judgement speaks for a change that was made to suit it.
"""

from collections.abc import Callable, Sequence
from random import Random

import msgspec

from engine.tuning.figures import JudgedOutcome, TopicFigures, summed
from engine.tuning.judged_messages import JudgedMessage

FOLDS = 4
"""Parts of the judged messages, each held back once."""
_RESAMPLED = 1_000
"""Draws of the interval around the change."""
_SEED = 20260216
"""Any number that stays: the same judgements give the same plan."""

Samples = Sequence[JudgedMessage]
LearnAndTry = Callable[[Samples, Samples], Sequence[JudgedOutcome]]
"""Learns from the first and gives the outcomes on the second."""


class HeldBack(msgspec.Struct, frozen=True):
    """Figures on held-back judgements before and after; the change of the F1 in per cent with its 95 % interval."""

    before: TopicFigures
    after: TopicFigures
    change: int
    low: int
    high: int

    @property
    def words(self) -> str:
        """`on held-back judgements F1 +12 [+3, +20]`."""
        return f"on held-back judgements F1 {self.change:+d} [{self.low:+d}, {self.high:+d}]"


def folded(samples: Samples) -> list[tuple[list[JudgedMessage], list[JudgedMessage]]]:
    """The folds: what is learnt from, and what is held back."""
    # Sorted, so that every fold has its share of useful ones.
    ordered = sorted(samples, key=lambda each: each.useful)
    held = [ordered[start::FOLDS] for start in range(min(FOLDS, len(ordered)))]
    return [([each for each in ordered if each not in fold], fold) for fold in held]


def measure_held_back(samples: Samples, before: LearnAndTry, after: LearnAndTry) -> HeldBack:
    """Measures both on every fold."""
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
