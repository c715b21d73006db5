"""Counts what a replay would change (§8.7, §10.4), and makes the blind comparison."""

import math
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from hashlib import blake2b
from statistics import NormalDist
from typing import Any

import msgspec

from engine.plans.annotation import PROBES
from engine.plans.plan import Create, Plan


class ReplayFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A replay's comparison. `changed` entries have another one in the same transcript line, `yours` are the
    operator's. `inferred_share` is the share of found entries, 0 to 1, that nobody confirmed."""

    extractor: str
    files_added: int
    files_changed: int
    before: int
    kept: int
    changed: int
    lost: int
    yours: int
    new: int
    probes: int
    probes_before: int
    probes_after: int
    inferred_share: float
    calls: int
    usd: float
    branch: str
    weeks: int


def replay_figures(plan: Plan) -> ReplayFigures:
    """Gives the figures of a replay's plan; counts only probes that could be asked before and after."""
    facts: dict[str, Any] = plan.facts
    entries = facts["entries"]
    changed = entries.get("changed", 0)
    outcomes = Counter(str(one.get("outcome", "")) for one in facts.get(PROBES, ()))
    added = sum(isinstance(change, Create) for change in plan.changes)
    return ReplayFigures(
        extractor=str(facts["extractor"]),
        files_added=added,
        files_changed=len({other.path for other in plan.changes}) - added,
        before=entries["before"],
        kept=entries["kept"],
        changed=changed,
        lost=entries["left_out"] - changed,
        yours=entries["yours"],
        new=max(0, entries["new"] - changed),
        probes=sum(outcomes[name] for name in ("kept", "lost", "gained", "unmet")),
        probes_before=outcomes["kept"] + outcomes["lost"],
        probes_after=outcomes["kept"] + outcomes["gained"],
        inferred_share=facts["inferred_share"],
        calls=plan.cost.calls,
        usd=float(plan.cost.usd),
        branch=str(facts.get("record", {}).get("branch", "")),
        weeks=len(facts.get("weeks", {})),
    )


_SURE = NormalDist().inv_cdf(0.975)  # the normal quantile of a two-sided interval of 95 %


class BlindAnswer(StrEnum):
    ONE = "1"
    TWO = "2"
    TIE = "tie"
    NEITHER = "neither"


class BlindPair(msgspec.Struct, frozen=True):
    """One session's entries by two extractors. `swapped`: the first are the replay's."""

    session: str
    one: tuple[str, ...]
    two: tuple[str, ...]
    swapped: bool

    def won(self, answer: BlindAnswer) -> str:
        """Gives `after` where the replay's are better, `before`, `tie` or `neither`."""
        if answer in (BlindAnswer.TIE, BlindAnswer.NEITHER):
            return answer.value
        return "after" if (answer is BlindAnswer.ONE) is self.swapped else "before"


class BlindStanding(msgspec.Struct, frozen=True):
    """Sessions by outcome. `rate` is the share of decided ones that the replay won, 0 to 1, with Wilson's interval
    at 95 %. `one_sided` sessions have entries of one extractor only, and are not judged."""

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
    """Gives the pairs of a replay's plan with entries on both sides, in random order."""
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
    won = Counter(pair.won(answers[pair.session]) for pair in every if pair.session in answers)
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
