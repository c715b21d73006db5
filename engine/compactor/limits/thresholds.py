"""Compares memory tiers and shards with their thresholds, to tell which trigger fired (§Hybrid Trigger Model)."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

import msgspec

from engine.plans.memory_status import (
    ArchiveFigures,
    MemoryTiers,
    SemanticBand,
    SemanticFigures,
    ShardFigures,
    TierFigures,
    TriggerState,
)
from engine.plans.policy.values import Limits, SemanticLimits
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, MemoryTier

SEMANTIC_HARD = "semantic_hard"
SEMANTIC_RISK = "semantic_risk"
WEEKLY = "weekly"


class Measurements(msgspec.Struct, frozen=True, kw_only=True):
    """The figures that thresholds compare. `semantic_tokens`: those of the largest shard (A13)."""

    working: TierFigures
    episodic: TierFigures
    semantic_tokens: int


def measure(snapshot: Snapshot, today: date) -> Measurements:
    """Measures a snapshot on the day `today`."""
    working, episodic = (
        _measure_tier(list(snapshot.tier(tier)), today) for tier in (MemoryTier.WORKING, MemoryTier.EPISODIC)
    )
    largest = max((facts.tokens for facts in snapshot.tier(MemoryTier.SEMANTIC)), default=0)
    return Measurements(working=working, episodic=episodic, semantic_tokens=largest)


def _measure_tier(files: Sequence[FileFacts], today: date) -> TierFigures:
    return TierFigures(
        files=len(files),
        tokens=sum(facts.tokens for facts in files),
        oldest_days=max((facts.date.age_days(today) for facts in files), default=None),
    )


def trigger_states(
    measured: Measurements, limits: Limits, *, weekly: bool, weekly_detail: str = ""
) -> tuple[TriggerState, ...]:
    """Returns every trigger with its value, in priority order (compactor §Priority Order)."""
    tiers = (("working", measured.working, limits.working), ("episodic", measured.episodic, limits.episodic))
    figures: list[tuple[str, int | None, int]] = [
        (SEMANTIC_HARD, measured.semantic_tokens, limits.semantic.hard),
        (SEMANTIC_RISK, measured.semantic_tokens, limits.semantic.risk),
    ]
    for name, tier, limit in tiers:
        figures += [
            (f"{name}_files", tier.files, limit.files),
            (f"{name}_tokens", tier.tokens, limit.tokens),
            (f"{name}_age", tier.oldest_days, limit.age_days),
        ]
    return (
        *(TriggerState(id=id_, value=n, threshold=most, fired=n is not None and n > most) for id_, n, most in figures),
        TriggerState(id=WEEKLY, value=None, threshold=None, fired=weekly, detail=weekly_detail),
    )


def band_of(tokens: int, limits: SemanticLimits) -> SemanticBand:
    """Returns the band of a shard; a size equal to a limit is in the band below it (decision A1)."""
    # `>` in each: 900, 1,020 and 1,200 themselves are still in the band below (decision A1).
    if tokens > limits.soft:
        above = SemanticBand.RISK if tokens > limits.risk else SemanticBand.WARNING
        return SemanticBand.BLOCKED if tokens > limits.hard else above
    return SemanticBand.OK


def shard_figures(snapshot: Snapshot, limits: SemanticLimits) -> tuple[ShardFigures, ...]:
    """Returns the size and band of every shard, sorted by path."""
    return tuple(
        ShardFigures(path=facts.path, tokens=facts.tokens, band=band_of(facts.tokens, limits))
        for facts in snapshot.tier(MemoryTier.SEMANTIC)
    )


def memory_tiers(
    snapshot: Snapshot, limits: SemanticLimits, working: TierFigures, episodic: TierFigures
) -> MemoryTiers:
    """Returns the figures of all memory tiers, given those of working and episodic memory."""
    shards = shard_figures(snapshot, limits)
    archive = [facts.tokens for facts in snapshot.tier(MemoryTier.ARCHIVE)]
    return MemoryTiers(
        working=working,
        episodic=episodic,
        semantic=SemanticFigures(files=len(shards), tokens=sum(shard.tokens for shard in shards), shards=shards),
        archive=ArchiveFigures(files=len(archive), tokens=sum(archive)),
    )


def band_warning(tokens: int, limits: SemanticLimits) -> str:
    """Returns the warning about a shard of this size; empty up to the soft limit."""
    match band_of(tokens, limits):
        case SemanticBand.OK:
            return ""
        case SemanticBand.WARNING:
            return f"{tokens:,} tokens: above the soft limit of {limits.soft:,}"
        case SemanticBand.RISK:
            return f"{tokens:,} tokens: above the risk line of {limits.risk:,}; consider sharding"
        case SemanticBand.BLOCKED:
            return f"{tokens:,} tokens: above the hard limit of {limits.hard:,}; appends are blocked"


MANUAL = "manual"  # the trigger of a run that a person asked for and no threshold did (decision A23)

SLOT_TIME = time(3, 0, tzinfo=UTC)  # every Sunday at 03:00 UTC (compactor §Time-Based Trigger)

_NO_VOLUME = frozenset({SEMANTIC_HARD, SEMANTIC_RISK, WEEKLY})
"""Triggers that do not depend on how much can be compacted: a shard may be at risk for weeks (decision A25)."""
_SUNDAY = 6  # the number of the weekly slot's day as `date.weekday` counts: Monday is 0
_WEEK = timedelta(days=7)  # between two slots of the weekly run


def last_slot(now: datetime) -> datetime:
    """Returns the latest Sunday 03:00 UTC at or before `now`."""
    moment = now.astimezone(UTC)
    sunday = moment.date() - timedelta(days=(moment.weekday() - _SUNDAY) % 7)
    slot = datetime.combine(sunday, SLOT_TIME)
    # On a Sunday before 03:00 the slot of that day is still to come.
    return slot if slot <= moment else slot - _WEEK


def next_slot(now: datetime) -> datetime:
    """Returns the first Sunday 03:00 UTC after `now`."""
    return last_slot(now) + _WEEK


def in_slot(now: datetime) -> bool:
    """Tells whether it is Sunday after 03:00 UTC: a late timer is still on time that day."""
    return last_slot(now).date() == now.astimezone(UTC).date()


def slot_missed(now: datetime, last_scheduled_at: datetime | None) -> bool:
    """Tells whether at least one slot passed since the last scheduled run, which is then made once (decision G5)."""
    # Without a first scheduled run nothing was missed: installing the schedule on a Monday fires nothing.
    return last_scheduled_at is not None and last_scheduled_at < last_slot(now)


def weekly_fires(now: datetime, *, scheduled: bool, last_scheduled_at: datetime | None) -> bool:
    """Tells whether the weekly trigger fires: only for a scheduled run (decision A23)."""
    return scheduled and (in_slot(now) or slot_missed(now, last_scheduled_at))


def weekly_detail(now: datetime) -> str:
    """Returns the words beside the weekly trigger."""
    return f"every Sunday 03:00 UTC, next {next_slot(now):%Y-%m-%d}"


def primary(states: Sequence[TriggerState]) -> str | None:
    """Returns the first fired trigger in priority order; None if none fired (decision A5)."""
    return next((state.id for state in states if state.fired), None)


def volume_trigger(states: Sequence[TriggerState]) -> str | None:
    """Returns the first fired threshold of working or episodic memory; None if none fired (decision A25)."""
    return next((state.id for state in states if state.fired and state.id not in _NO_VOLUME), None)
