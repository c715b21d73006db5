"""Classifies an append to a shard by the size of the shard (decisions A2, A3)."""

from engine.compactor.limits.thresholds import band_of
from engine.plans.memory_status import SemanticBand
from engine.plans.plan import RiskTier
from engine.plans.policy.values import SemanticLimits


def append_risk_tier(current: int, projected: int, limits: SemanticLimits) -> RiskTier | None:
    """Returns the risk tier of an append by the larger size; None if even APPROVED is refused (A2, A3)."""
    band = band_of(max(current, projected), limits)
    return {SemanticBand.BLOCKED: None, SemanticBand.RISK: RiskTier.C}.get(band, RiskTier.B)
