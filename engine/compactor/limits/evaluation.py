"""Decides what needs no note to be read: figures, triggers, risk tier, cooldown, and the eligible files."""

from datetime import UTC, date, datetime

import msgspec

from engine.compactor.limits.cooldown import MetaFile, cooldown, read_meta
from engine.compactor.limits.eligibility import AgedFile, eligible, future_dated, next_eligible
from engine.compactor.limits.risk_tier import RunRisk, judge
from engine.compactor.limits.shard_band import band_warning
from engine.compactor.limits.thresholds import Measurements, measure
from engine.compactor.limits.triggers import weekly_detail, weekly_fires
from engine.compactor.options import CompactorHistory
from engine.plans.policy.values import Policy
from engine.plans.status import CooldownState
from engine.workspace.dates import zone_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier


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
