"""Decides what needs no note to be read: figures, triggers, risk tier, cooldown, and the eligible files."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import msgspec

from engine.compactor.limits.cooldown import MetaFile, cooldown, read_meta
from engine.compactor.limits.shard_band import band_of, band_warning
from engine.compactor.limits.thresholds import SEMANTIC_HARD, SEMANTIC_RISK, Measurements, measure, trigger_states
from engine.compactor.limits.triggers import MANUAL, primary, volume_trigger, weekly_detail, weekly_fires
from engine.compactor.options import CompactorHistory
from engine.plans.plan import RiskTier
from engine.plans.policy.values import Limits, Policy, SemanticLimits, TierLimits
from engine.plans.status import CooldownState, SemanticBand, TriggerState
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, MemoryTier

NEVER_YOUNGER_THAN = 7
"""Days. Whatever the policy says (compactor §Safety Constraints)."""


class AgedFile(msgspec.Struct, frozen=True):
    """A file that may be taken, and its age in whole days."""

    facts: FileFacts
    age: int


def eligible(files: Iterable[FileFacts], limits: TierLimits, today: date) -> tuple[AgedFile, ...]:
    """The files older than the tier's limit, oldest first, then by path. A future date counts as age 0 (G8)."""
    aged = [AgedFile(facts, facts.date.age_days(today)) for facts in files]
    # Strictly older than 7 or 30 days (decision A4); no policy makes a note of its first week eligible.
    old = [file for file in aged if file.age > limits.eligible_days and file.age >= NEVER_YOUNGER_THAN]
    # A stable order: the same files give the same plan, and with it the same digest (decision G17).
    return tuple(sorted(old, key=lambda file: (file.facts.date.day, file.facts.path)))


def next_eligible(files: Iterable[FileFacts], limits: TierLimits) -> date | None:
    """The first day on which one of these files may be taken; None where there is none."""
    days = max(limits.eligible_days + 1, NEVER_YOUNGER_THAN)
    first = min((facts.date.day for facts in files), default=None)
    if first is None or first.toordinal() + days > date.max.toordinal():
        return None
    return date.fromordinal(first.toordinal() + days)


def future_dated(files: Iterable[FileFacts], today: date) -> tuple[FileFacts, ...]:
    """The files that claim a day after `today`."""
    return tuple(facts for facts in files if facts.date.is_future(today))


class RunRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The run that the figures lead to. `volume` is the first threshold of working or episodic memory that is met.
    `trigger` is what the run goes by: `volume` for a scheduled run that acts, else the primary one, or `manual` where
    none fired (decision A23); None where a scheduled run has none. `risk_tier` is what the fired triggers ask for."""

    states: tuple[TriggerState, ...]
    primary: str | None
    volume: str | None
    trigger: str | None
    scheduled: bool
    risk_tier: RiskTier | None

    @property
    def pressure(self) -> bool:
        """True where there is more than working or episodic memory should hold (decision A25)."""
        return self.volume is not None

    @property
    def acts(self) -> bool:
        """True where the run may take what is eligible (decision A4)."""
        # A scheduled run acts under pressure alone (10/45 days, counts, tokens); a person may compact what is
        # eligible (7/30 days) without any.
        return self.pressure or not self.scheduled


def judge(measured: Measurements, limits: Limits, *, scheduled: bool, weekly: bool, weekly_detail: str = "") -> RunRisk:
    """Evaluates every threshold and classifies the run (compactor §Hybrid Trigger Model); a function of figures."""
    states = trigger_states(measured, limits, weekly=weekly, weekly_detail=weekly_detail)
    first, volume = primary(states), volume_trigger(states)
    return RunRisk(
        states=states,
        primary=first,
        volume=volume,
        # A scheduled run names what made it act; a shard at risk for weeks is not that (decision A25).
        trigger=(volume or first) if scheduled else (first or MANUAL),
        scheduled=scheduled,
        risk_tier=run_risk_tier(states),
    )


def run_risk_tier(states: Sequence[TriggerState]) -> RiskTier | None:
    """Gives the tier that the fired triggers ask for: C at semantic risk, B for volume, None if no threshold is met."""
    if any(state.fired for state in states if state.id in (SEMANTIC_HARD, SEMANTIC_RISK)):
        return RiskTier.C
    return RiskTier.B if volume_trigger(states) else None


def append_risk_tier(current: int, projected: int, limits: SemanticLimits) -> RiskTier | None:
    """The risk tier of a semantic append by the stricter size; None: refused even with APPROVED (A2, A3)."""
    match band_of(max(current, projected), limits):
        case SemanticBand.BLOCKED:
            return None
        case SemanticBand.RISK:
            return RiskTier.C
        case SemanticBand.WARNING | SemanticBand.OK:
            return RiskTier.B


MOVE_RISK_TIER = RiskTier.B
"""Working → episodic, and any move to the archive (compactor §Classification Rules)."""


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a workspace on one day, `today` in UTC (decision G5)."""

    today: date
    measured: Measurements
    judged: RunRisk
    cooldown: CooldownState
    meta: MetaFile
    first_run: bool
    working: tuple[AgedFile, ...]
    episodic: tuple[AgedFile, ...]
    next_eligible: date | None
    """The first day on which a file may be taken; None where some may be today, or there are none."""
    warnings: tuple[str, ...]


def evaluate(
    snapshot: Snapshot, policy: Policy, now: datetime, history: CompactorHistory, *, scheduled: bool = False
) -> Evaluation:
    """Evaluates every threshold (compactor §Hybrid Trigger Model). Of files it reads only the cooldown's stamp."""
    today = now.astimezone(UTC).date()
    measured = measure(snapshot, today)
    weekly = weekly_fires(now, scheduled=scheduled, last_scheduled_at=history.last_scheduled_at)
    meta = read_meta(snapshot.reader)
    working = eligible(snapshot.tier(MemoryTier.WORKING), policy.limits.working, today)
    episodic = eligible(snapshot.tier(MemoryTier.EPISODIC), policy.limits.episodic, today)
    return Evaluation(
        today=today,
        measured=measured,
        judged=judge(measured, policy.limits, scheduled=scheduled, weekly=weekly, weekly_detail=weekly_detail(now)),
        cooldown=cooldown(meta, history, now, policy.limits.cooldown_hours),
        meta=meta,
        first_run=not history.applied,
        working=working,
        episodic=episodic,
        next_eligible=None if working or episodic else _next_eligible(snapshot, policy),
        warnings=(*_shard_sizes(snapshot, policy), *_future_dates(snapshot, now, today)),
    )


def _next_eligible(snapshot: Snapshot, policy: Policy) -> date | None:
    limits = ((MemoryTier.WORKING, policy.limits.working), (MemoryTier.EPISODIC, policy.limits.episodic))
    days = (next_eligible(snapshot.tier(tier), limit) for tier, limit in limits)
    return min((day for day in days if day is not None), default=None)


def _shard_sizes(snapshot: Snapshot, policy: Policy) -> tuple[str, ...]:
    said = (
        (facts.path, band_warning(facts.tokens, policy.limits.semantic)) for facts in snapshot.tier(MemoryTier.SEMANTIC)
    )
    return tuple(f"{path} has {warning}" for path, warning in said if warning)


def _future_dates(snapshot: Snapshot, now: datetime, today: date) -> tuple[str, ...]:
    """Files of the future: later than today both in UTC and where the operator lives (decision G8)."""
    latest = max(today, now.astimezone(zone_of(snapshot.zone)).date())
    files = [*snapshot.tier(MemoryTier.WORKING), *snapshot.tier(MemoryTier.EPISODIC)]
    return tuple(
        f"{facts.path} is dated {facts.date.day}, in the future: it counts as 0 days old"
        for facts in future_dated(files, latest)
    )
