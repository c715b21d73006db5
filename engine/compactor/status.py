"""Describes the compactor's memory for the overview and `memdeck status`."""

from collections.abc import Sequence
from datetime import date, datetime

import msgspec

from engine.compactor.limits.evaluation import AgedFile, evaluate
from engine.compactor.limits.thresholds import TierMeasure
from engine.compactor.options import CompactorHistory
from engine.compactor.semantic.shards import shard_figures
from engine.plans.plan import RiskTier
from engine.plans.policy.values import Policy
from engine.plans.status import ArchiveFigures, CooldownState, MemoryTiers, SemanticFigures, TierFigures, TriggerState
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier


class CompactorStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The compactor's part of `views.Status`, under the same names. `warnings` are remarks for its `notes`."""

    memory_tiers: MemoryTiers
    triggers: tuple[TriggerState, ...]
    primary_trigger: str | None
    risk_tier: RiskTier | None
    cooldown: CooldownState
    first_run: bool
    next_eligible: date | None
    warnings: tuple[str, ...]


def compactor_status(snapshot: Snapshot, policy: Policy, now: datetime, history: CompactorHistory) -> CompactorStatus:
    """Figures, triggers and cooldown of a snapshot. Reads the cooldown's meta file and nothing else."""
    evaluated = evaluate(snapshot, policy, now, history)
    shards = shard_figures(snapshot, policy.limits.semantic)
    archive = [facts.tokens for facts in snapshot.tier(MemoryTier.ARCHIVE)]
    return CompactorStatus(
        memory_tiers=MemoryTiers(
            working=_figures(evaluated.measured.working, evaluated.working),
            episodic=_figures(evaluated.measured.episodic, evaluated.episodic),
            semantic=SemanticFigures(files=len(shards), tokens=sum(shard.tokens for shard in shards), shards=shards),
            archive=ArchiveFigures(files=len(archive), tokens=sum(archive)),
        ),
        triggers=evaluated.judged.states,
        primary_trigger=evaluated.judged.primary,
        risk_tier=evaluated.judged.risk_tier,
        cooldown=evaluated.cooldown,
        first_run=evaluated.first_run,
        next_eligible=evaluated.next_eligible,
        warnings=evaluated.warnings,
    )


def _figures(measured: TierMeasure, eligible: Sequence[AgedFile]) -> TierFigures:
    return TierFigures(
        files=measured.files, tokens=measured.tokens, oldest_days=measured.oldest_days, eligible=len(eligible)
    )
