"""The blind comparison of a replay: a session's entries of before and after, side by side (§8.7). The side on which the
replay's entries stand is drawn from the plan and the session; it is told once both are judged."""

import math
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from hashlib import blake2b
from statistics import NormalDist

import msgspec

from engine.plans.plan import Plan

_SURE = NormalDist().inv_cdf(0.975)  # the normal quantile of a two-sided interval of 95 %


class BlindAnswer(StrEnum):
    """The operator's word on a pair."""

    ONE = "1"
    TWO = "2"
    TIE = "tie"
    NEITHER = "neither"


class BlindPair(msgspec.Struct, frozen=True):
    """The entries of one session, by two extractors. `swapped`: the first are the replay's."""

    session: str
    one: tuple[str, ...]
    two: tuple[str, ...]
    swapped: bool

    def won(self, answer: BlindAnswer) -> str:
        """`after` where the replay's are better, `before`, `tie` or `neither`."""
        if answer in (BlindAnswer.TIE, BlindAnswer.NEITHER):
            return answer.value
        return "after" if (answer is BlindAnswer.ONE) is self.swapped else "before"


class BlindStanding(msgspec.Struct, frozen=True):
    """Sessions by outcome. `rate` is the share of the decided ones that the replay won, 0 to 1, with its interval. The
    interval is Wilson's at 95 %; without a decided pair it is 0 to 1 and the rate one half. `one_sided` are sessions in
    which one extractor found nothing: an empty side says whose it is, so that they are not judged."""

    pairs: int
    after: int
    before: int
    tie: int
    neither: int
    rate: float
    low: float
    high: float
    one_sided: int = 0


def blind_pairs(plan: Plan) -> tuple[BlindPair, ...]:
    """The pairs of a replay's plan that have two sides, in an order that says nothing."""
    sessions = {path: sides for path, sides in _sessions(plan).items() if all(sides.values())}
    drawn = [(blake2b(f"{plan.digest}\0{path}".encode("utf-8", "replace")).digest(), path) for path in sessions]
    found = []
    for draw, path in sorted(drawn):
        before, after = tuple(sessions[path]["before"]), tuple(sessions[path]["after"])
        swapped = bool(draw[-1] & 1)
        found.append(BlindPair(path, after if swapped else before, before if swapped else after, swapped))
    return tuple(found)


def blind_standing(plan: Plan, answers: Mapping[str, BlindAnswer]) -> BlindStanding:
    """Counts the answers by session, and the share that the replay won."""
    every = blind_pairs(plan)
    won = Counter(one.won(answers[one.session]) for one in every if one.session in answers)
    rate, low, high = _wilson(won["after"], won["after"] + won["before"])
    lacking = len(_sessions(plan)) - len(every)
    return BlindStanding(len(every), won["after"], won["before"], won["tie"], won["neither"], rate, low, high, lacking)


def _sessions(plan: Plan) -> Mapping[str, Mapping[str, list[str]]]:
    sessions: Mapping[str, Mapping[str, list[str]]] = plan.facts.get("sessions", {})
    return sessions


def _wilson(wins: int, tries: int) -> tuple[float, float, float]:
    if not tries:
        return 0.5, 0.0, 1.0
    share, z2 = wins / tries, _SURE**2
    middle = (share + z2 / (2 * tries)) / (1 + z2 / tries)
    half = _SURE * math.sqrt(share * (1 - share) / tries + z2 / (4 * tries**2)) / (1 + z2 / tries)
    return share, max(0.0, middle - half), min(1.0, middle + half)
