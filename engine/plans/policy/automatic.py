"""Decides which plans run without a person: Tier A, where the operator's policy says so, no other (§Risk tiers)."""

from engine.plans.plan import Plan, RiskTier
from engine.plans.policy.values import Policy


def may_run_by_itself(plan: Plan, policy: Policy) -> bool:
    """Tells whether the policy lets this plan run with nobody looking.

    Every change must be tier A, no question may be open, and the plan must be made under this very policy. A policy
    object that claims more for B or C than a file ever could is not believed.
    """
    return (
        bool(plan.changes)
        and all(change.risk_tier is RiskTier.A for change in plan.changes)
        and not plan.confirmations
        and not plan.simulated_clock
        and plan.policy_sha256 == policy.sha256
        and policy.may_run_by_itself(RiskTier.A)
    )
