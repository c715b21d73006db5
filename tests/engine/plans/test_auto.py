"""Only Tier A ever runs without a person, whatever a policy claims (decisions §Risk tiers)."""

from datetime import UTC, datetime
from itertools import product
from typing import Any

import msgspec
import pytest

from engine.plans.plan import Confirmation, Create, Plan, RiskTier
from engine.plans.policy.rules import may_run_by_itself
from engine.plans.policy.values import ApprovalPolicy, Policy
from engine.workspace.values import WorkspaceIdentity

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
FORGED: Any = ("A", "B", "C")
ASK = Policy()
AUTO = Policy(approval=ApprovalPolicy(auto=("A",)))
LIAR = Policy(approval=ApprovalPolicy(auto=FORGED))


def make_plan(policy: Policy, *tiers: RiskTier) -> Plan:
    return Plan(
        system="tree",
        trigger="manual",
        workspace=WorkspaceIdentity("/w", 1, 2),
        now=NOW,
        zone="UTC",
        simulated_clock=False,
        made_at=NOW,
        policy_sha256=policy.sha256,
        tokenizer="o200k_base",
        inputs=(),
        changes=tuple(
            Create(n=n, path=f"{n}.md", risk_tier=tier, reason="r", content="") for n, tier in enumerate(tiers, start=1)
        ),
    )


def test_tier_a_runs_by_itself_only_where_the_policy_says_so() -> None:
    assert may_run_by_itself(make_plan(AUTO, RiskTier.A, RiskTier.A), AUTO)
    assert not may_run_by_itself(make_plan(ASK, RiskTier.A), ASK)


@pytest.mark.parametrize("policy", [ASK, AUTO, LIAR], ids=["ask", "auto", "forged"])
def test_b_and_c_never_run_by_themselves_also_under_a_forged_policy(policy: Policy) -> None:
    for tiers in product(RiskTier, repeat=3):
        if set(tiers) != {RiskTier.A}:
            assert not may_run_by_itself(make_plan(policy, *tiers), policy), tiers


def test_an_empty_questioned_simulated_or_older_plan_waits_for_a_person() -> None:
    plan = make_plan(AUTO, RiskTier.A)
    assert not may_run_by_itself(make_plan(AUTO), AUTO)
    asked = msgspec.structs.replace(plan, confirmations=(Confirmation("first_run", "backed up?"),))
    assert not may_run_by_itself(asked, AUTO)
    assert not may_run_by_itself(msgspec.structs.replace(plan, simulated_clock=True), AUTO)
    assert not may_run_by_itself(make_plan(ASK, RiskTier.A), AUTO)
