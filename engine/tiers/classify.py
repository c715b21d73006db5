"""The risk tier of a run, decided before anything is extracted (compactor §Classification Rules)."""

from collections.abc import Sequence

from engine.plans.plan import RiskTier
from engine.plans.policy import SemanticLimits
from engine.tiers.thresholds import SEMANTIC_HARD, SEMANTIC_RISK, band_of
from engine.tiers.triggers import pressure
from engine.views import SemanticBand, TriggerState


def run_risk_tier(states: Sequence[TriggerState]) -> RiskTier | None:
    """What the fired triggers ask for: C at semantic risk, B for volume, None where no threshold is met."""
    if any(state.fired for state in states if state.id in (SEMANTIC_HARD, SEMANTIC_RISK)):
        return RiskTier.C
    return RiskTier.B if pressure(states) else None


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
