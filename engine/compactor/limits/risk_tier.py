"""The risk tier of a run, decided before anything is extracted (compactor §Classification Rules)."""

from collections.abc import Sequence

import msgspec

from engine.compactor.limits.shard_band import band_of
from engine.compactor.limits.thresholds import SEMANTIC_HARD, SEMANTIC_RISK, Measurements, trigger_states
from engine.compactor.limits.triggers import MANUAL, primary, volume_trigger
from engine.plans.plan import RiskTier
from engine.plans.policy.values import Limits, SemanticLimits
from engine.plans.status import SemanticBand, TriggerState


class RunRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The run that the figures lead to. `volume` is the first threshold of working or episodic memory that is met.

    `trigger` is what the run goes by: `volume` for a scheduled run that acts, else the primary one, or `manual` where
    none fired (decision A23); None where a scheduled run has none. `risk_tier` is what the fired triggers ask for.
    """

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
