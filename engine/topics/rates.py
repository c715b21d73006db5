"""Counts what each tier lets through, its time and its cost (autopoiesis §4.1, §5.5)."""

from collections import deque
from datetime import datetime, timedelta

import msgspec

from engine.topics.decision import GateAnswer, MatchResult
from engine.topics.output_hints import HintOutcome, SteeringResult

RATE_OVER = timedelta(minutes=1)  # the time over which messages are counted as a rate
LATENCIES = 1_000  # messages over which the latency's percentiles are taken


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Messages counted by progress. `candidates` passed Tier 1, `scored` also Tier 2, `asked` reached the gate,
    `active` activated a topic. Milliseconds, and millionths of a US dollar."""

    messages: int = 0
    injected: int = 0
    candidates: int = 0
    scored: int = 0
    asked: int = 0
    said_yes: int = 0
    active: int = 0
    corrections: int = 0
    gate_calls: int = 0
    gate_failed: int = 0
    tier1_ms: float = 0.0
    tier2_ms: float = 0.0
    gate_ms: float = 0.0
    micro_usd: int = 0

    @property
    def heard(self) -> int:
        """Messages that could activate a topic, without injected ones."""
        return self.messages - self.injected

    def passed(self, count: int) -> float:
        """Returns the share of the heard messages, from 0 to 1."""
        return count / self.heard if self.heard else 0.0

    @property
    def usd(self) -> float:
        return self.micro_usd / 1_000_000

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})


def tally_of(result: MatchResult, steered: tuple[SteeringResult, ...] = (), *, injected: bool = False) -> Tally:
    """Returns the tally of one message."""
    funnel = result.funnel
    answers = {decision.gate for decision in result.decisions}
    return Tally(
        messages=1,
        injected=int(injected),
        candidates=int(bool(result.candidates)),
        scored=int(funnel.tier2 > 0),
        asked=int(funnel.gated > 0),
        said_yes=int(GateAnswer.YES in answers),
        active=int(bool(result.active)),
        corrections=sum(steering.verdict is HintOutcome.GIVEN for steering in steered),
        gate_calls=funnel.gate_calls,
        gate_failed=sum(decision.rule == "gate-failed" for decision in result.decisions),
        tier1_ms=funnel.tier1_ms,
        tier2_ms=funnel.tier2_ms,
        gate_ms=funnel.gate_ms,
        micro_usd=round(funnel.cost_usd * 1_000_000),
    )


class MessageRate(msgspec.Struct, frozen=True):
    """Messages in the last minute, and the 50th and 95th percentile of milliseconds."""

    per_minute: int = 0
    p50_ms: float = 0.0
    p95_ms: float = 0.0


class Pacer:
    """Counts messages by the second, so that bursts need no memory."""

    def __init__(self) -> None:
        self._seconds: deque[tuple[datetime, int]] = deque()
        self._latencies: deque[float] = deque(maxlen=LATENCIES)

    def add(self, result: MatchResult, now: datetime) -> None:
        second = now.replace(microsecond=0)
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1] = (second, self._seconds[-1][1] + 1)
        else:
            self._seconds.append((second, 1))
        funnel = result.funnel
        self._latencies.append(funnel.tier1_ms + funnel.tier2_ms + funnel.gate_ms)

    def pace(self, now: datetime) -> MessageRate:
        while self._seconds and self._seconds[0][0] <= now - RATE_OVER:
            self._seconds.popleft()
        ordered = sorted(self._latencies)
        return MessageRate(sum(number for _, number in self._seconds), _share(ordered, 0.5), _share(ordered, 0.95))


def _share(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
