"""Approves a plan as a person at a terminal would, and puts it into the workspace."""

from engine.plans.operation import LIFETIME, Approval, Operation, Witness
from engine.plans.plan import Plan
from engine.services.engine import Engine


def approve(console: Engine, plan: Plan | None, numbers: tuple[int, ...] = ()) -> Operation:
    """Applies the named changes of a plan, or all."""
    assert plan is not None
    chosen, now = numbers or tuple(change.n for change in plan.changes), console.real_now()
    yes = Approval(
        target=plan.digest,
        numbers=chosen,
        risk_tier=plan.tier_of(chosen),
        answers=(),
        witness=Witness("/dev/pts/0", ("pytest(1)",), "tester", "terminal"),
        granted_at=now,
        expires_at=now + LIFETIME,
        nonce=plan.digest,
    )
    return console.plans.apply(plan, yes)
