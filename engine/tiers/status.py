"""Where the compactor's memory stands, for the overview and `memdeck status`."""

from datetime import UTC, date, datetime

import msgspec

from engine.plans.plan import RiskTier
from engine.plans.policy import Policy, TierLimits
from engine.tiers.classify import run_tier
from engine.tiers.cooldown import cooldown, read_meta
from engine.tiers.eligible import eligible
from engine.tiers.options import CompactorHistory
from engine.tiers.shards import shard_figures
from engine.tiers.thresholds import TierMeasure, measure, trigger_states
from engine.tiers.triggers import primary, weekly_detail
from engine.views import ArchiveFigures, CooldownState, MemoryTiers, SemanticFigures, TierFigures, TriggerState
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier


class CompactorStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The compactor's part of `views.Status`, under the same names."""

    memory_tiers: MemoryTiers
    triggers: tuple[TriggerState, ...]
    primary_trigger: str | None
    risk_tier: RiskTier | None
    cooldown: CooldownState
    first_run: bool


def compactor_status(snapshot: Snapshot, policy: Policy, now: datetime, history: CompactorHistory) -> CompactorStatus:
    """Figures, triggers and cooldown of a snapshot. Reads the cooldown's meta file and nothing else."""
    today = now.astimezone(UTC).date()
    measured = measure(snapshot, today)
    states = trigger_states(measured, policy.limits, weekly=False, weekly_detail=weekly_detail(now))
    shards = shard_figures(snapshot, policy.limits.semantic)
    archive = [facts.tokens for facts in snapshot.tier(MemoryTier.ARCHIVE)]
    return CompactorStatus(
        memory_tiers=MemoryTiers(
            working=_figures(snapshot, MemoryTier.WORKING, measured.working, policy.limits.working, today),
            episodic=_figures(snapshot, MemoryTier.EPISODIC, measured.episodic, policy.limits.episodic, today),
            semantic=SemanticFigures(files=len(shards), tokens=sum(shard.tokens for shard in shards), shards=shards),
            archive=ArchiveFigures(files=len(archive), tokens=sum(archive)),
        ),
        triggers=states,
        primary_trigger=primary(states),
        risk_tier=run_tier(states),
        cooldown=cooldown(read_meta(snapshot.reader), history, now, policy.limits.cooldown_hours),
        first_run=not history.applied,
    )


def _figures(
    snapshot: Snapshot, tier: MemoryTier, measured: TierMeasure, limits: TierLimits, today: date
) -> TierFigures:
    return TierFigures(
        files=measured.files,
        tokens=measured.tokens,
        oldest_days=measured.oldest_days,
        eligible=len(eligible(snapshot.tier(tier), limits, today)),
    )
