"""Evaluates a workspace without reading notes: figures, triggers, risk tier, cooldown, eligible files."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

import msgspec

from engine.compactor.limits.cooldown import MetaFile, cooldown, read_meta
from engine.compactor.limits.thresholds import (
    MANUAL,
    SEMANTIC_HARD,
    SEMANTIC_RISK,
    Measurements,
    band_warning,
    measure,
    memory_tiers,
    primary,
    trigger_states,
    volume_trigger,
    weekly_detail,
    weekly_fires,
)
from engine.compactor.options import CompactorHistory
from engine.plans.memory_status import CooldownState, MemoryTiers, TriggerState
from engine.plans.plan import RiskTier
from engine.plans.policy.values import Limits, Policy, SemanticLimits, TierLimits
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, MemoryTier

NEVER_YOUNGER_THAN = 7  # days. Whatever the policy says (compactor §Safety Constraints).


class AgedFile(msgspec.Struct, frozen=True):
    """An eligible file and its age in days."""

    facts: FileFacts
    age: int


def eligible(files: Iterable[FileFacts], limits: TierLimits, today: date) -> tuple[AgedFile, ...]:
    """Returns the files older than the tier's limit, oldest first, then by path. A future date is age 0 (G8)."""
    aged = [AgedFile(facts, facts.date.age_days(today)) for facts in files]
    # Strictly older than 7 or 30 days (decision A4); no policy makes a note of its first week eligible.
    old = [file for file in aged if file.age > limits.eligible_days and file.age >= NEVER_YOUNGER_THAN]
    # A stable order: the same files give the same plan, and with it the same digest (decision G17).
    return tuple(sorted(old, key=lambda file: (file.facts.date.day, file.facts.path)))


def next_eligible(files: Iterable[FileFacts], limits: TierLimits) -> date | None:
    """Returns the first day on which one of these files becomes eligible; None if there is none."""
    days = max(limits.eligible_days + 1, NEVER_YOUNGER_THAN)
    first = min((facts.date.day for facts in files), default=None)
    if first is None or first.toordinal() + days > date.max.toordinal():
        return None
    return date.fromordinal(first.toordinal() + days)


class RunRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The triggers of a run. `volume`: the first threshold of working or episodic memory met. `trigger`: the reason:
    `volume` or None if scheduled, else primary or `manual` (A23). `risk_tier`: the tier that fired triggers require."""

    states: tuple[TriggerState, ...]
    primary: str | None
    volume: str | None
    trigger: str | None
    scheduled: bool
    risk_tier: RiskTier | None

    @property
    def pressure(self) -> bool:
        """True if working or episodic memory is above a threshold (decision A25)."""
        return self.volume is not None

    @property
    def acts(self) -> bool:
        """True if the run may take eligible files (decision A4)."""
        # A scheduled run acts under pressure alone (10/45 days, counts, tokens); a person may compact what is
        # eligible (7/30 days) without any.
        return self.pressure or not self.scheduled


def judge(measured: Measurements, limits: Limits, *, scheduled: bool, weekly: bool, weekly_detail: str = "") -> RunRisk:
    """Evaluates every threshold and classifies the run (compactor §Hybrid Trigger Model), from figures alone."""
    states = trigger_states(measured, limits, weekly=weekly, weekly_detail=weekly_detail)
    first, volume = primary(states), volume_trigger(states)
    # A scheduled run names what made it act; a shard at risk for weeks is not that (decision A25).
    trigger = (volume or first) if scheduled else (first or MANUAL)
    # C at semantic risk, B for volume, none if no threshold is met.
    at_risk = any(state.fired for state in states if state.id in (SEMANTIC_HARD, SEMANTIC_RISK))
    tier = RiskTier.C if at_risk else RiskTier.B if volume else None
    return RunRisk(states=states, primary=first, volume=volume, trigger=trigger, scheduled=scheduled, risk_tier=tier)


MOVE_RISK_TIER = RiskTier.B  # working → episodic, and any move to the archive (compactor §Classification Rules)


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a workspace on one UTC day, `today` (decision G5)."""

    today: date
    measured: Measurements
    judged: RunRisk
    cooldown: CooldownState
    meta: MetaFile
    first_run: bool
    working: tuple[AgedFile, ...]
    episodic: tuple[AgedFile, ...]
    next_eligible: date | None
    """The first day on which a file becomes eligible; None if one is already or there are no files."""
    warnings: tuple[str, ...]


def evaluate(
    snapshot: Snapshot, policy: Policy, now: datetime, history: CompactorHistory, *, scheduled: bool = False
) -> Evaluation:
    """Evaluates every threshold (compactor §Hybrid Trigger Model). Reads no file but the cooldown's stamp."""
    today, limits = now.astimezone(UTC).date(), policy.limits
    measured = measure(snapshot, today)
    weekly = weekly_fires(now, scheduled=scheduled, last_scheduled_at=history.last_scheduled_at)
    meta = read_meta(snapshot.reader)
    tiers = ((MemoryTier.WORKING, limits.working), (MemoryTier.EPISODIC, limits.episodic))
    working, episodic = (eligible(snapshot.tier(tier), limit, today) for tier, limit in tiers)
    days = (next_eligible(snapshot.tier(tier), limit) for tier, limit in tiers)
    following = min((day for day in days if day is not None), default=None)
    sizes = ((facts.path, band_warning(facts.tokens, limits.semantic)) for facts in snapshot.tier(MemoryTier.SEMANTIC))
    large = (f"{path} has {warning}" for path, warning in sizes if warning)
    return Evaluation(
        today=today,
        measured=measured,
        judged=judge(measured, limits, scheduled=scheduled, weekly=weekly, weekly_detail=weekly_detail(now)),
        cooldown=cooldown(meta, history, now, limits.cooldown_hours),
        meta=meta,
        first_run=not history.applied,
        working=working,
        episodic=episodic,
        next_eligible=None if working or episodic else following,
        warnings=(*large, *_future_dates(snapshot, now, today)),
    )


def _future_dates(snapshot: Snapshot, now: datetime, today: date) -> tuple[str, ...]:
    """Warns of files dated later than today, both in UTC and in the operator's zone (decision G8)."""
    latest = max(today, now.astimezone(zone_of(snapshot.zone)).date())
    files = (facts for tier in (MemoryTier.WORKING, MemoryTier.EPISODIC) for facts in snapshot.tier(tier))
    dated = ((facts.path, facts.date.day) for facts in files if facts.date.is_future(latest))
    return tuple(f"{path} is dated {day}, in the future: it counts as 0 days old" for path, day in dated)


def counted_tiers(snapshot: Snapshot, limits: SemanticLimits, evaluated: Evaluation) -> MemoryTiers:
    """Returns the figures of all memory tiers, with the number of eligible files."""
    measured = evaluated.measured
    tiers = ((measured.working, evaluated.working), (measured.episodic, evaluated.episodic))
    working, episodic = (msgspec.structs.replace(tier, eligible=len(files)) for tier, files in tiers)
    return memory_tiers(snapshot, limits, working, episodic)
