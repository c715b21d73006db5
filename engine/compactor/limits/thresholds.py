"""Compares tiers and shards with their thresholds (compactor §Volume-Based Triggers, §Semantic Risk Trigger)."""

from collections.abc import Sequence
from datetime import date

import msgspec

from engine.plans.policy.values import Limits, TierLimits
from engine.plans.status import TriggerState
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, MemoryTier

SEMANTIC_HARD = "semantic_hard"
SEMANTIC_RISK = "semantic_risk"
WEEKLY = "weekly"


class TierMeasure(msgspec.Struct, frozen=True, kw_only=True):
    """Working or episodic memory in numbers. `oldest_days` is None for an empty tier (decision A17)."""

    files: int
    tokens: int
    oldest_days: int | None


class Measurements(msgspec.Struct, frozen=True, kw_only=True):
    """All that the thresholds look at. `semantic_tokens` is the largest shard's: each has its own limits (A13)."""

    working: TierMeasure
    episodic: TierMeasure
    semantic_tokens: int


def measure(snapshot: Snapshot, today: date) -> Measurements:
    """The measurements of a snapshot on the day `today`."""
    return Measurements(
        working=_measure_tier(list(snapshot.tier(MemoryTier.WORKING)), today),
        episodic=_measure_tier(list(snapshot.tier(MemoryTier.EPISODIC)), today),
        semantic_tokens=max((facts.tokens for facts in snapshot.tier(MemoryTier.SEMANTIC)), default=0),
    )


def _measure_tier(files: Sequence[FileFacts], today: date) -> TierMeasure:
    return TierMeasure(
        files=len(files),
        tokens=sum(facts.tokens for facts in files),
        oldest_days=max((facts.date.age_days(today) for facts in files), default=None),
    )


def trigger_states(
    measured: Measurements, limits: Limits, *, weekly: bool, weekly_detail: str = ""
) -> tuple[TriggerState, ...]:
    """Every trigger with its actual value, in priority order (compactor §Priority Order)."""
    return (
        _state(SEMANTIC_HARD, measured.semantic_tokens, limits.semantic.hard),
        _state(SEMANTIC_RISK, measured.semantic_tokens, limits.semantic.risk),
        *_volume_states("working", measured.working, limits.working),
        *_volume_states("episodic", measured.episodic, limits.episodic),
        TriggerState(id=WEEKLY, value=None, threshold=None, fired=weekly, detail=weekly_detail),
    )


def _volume_states(name: str, measured: TierMeasure, limits: TierLimits) -> tuple[TriggerState, ...]:
    return (
        _state(f"{name}_files", measured.files, limits.files),
        _state(f"{name}_tokens", measured.tokens, limits.tokens),
        _state(f"{name}_age", measured.oldest_days, limits.age_days),
    )


def _state(trigger: str, value: int | None, threshold: int) -> TriggerState:
    fired = value is not None and value > threshold
    return TriggerState(id=trigger, value=value, threshold=threshold, fired=fired)
