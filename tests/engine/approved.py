"""Applies a plan as a person would who looked at it and said yes."""

from uuid import uuid4

import msgspec

from engine.plans.operation import ConfirmationAnswer, Operation
from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome
from engine.services.engine import Engine
from tests.tui.cli.approvals import an_approval


def applied(console: Engine, made: Plan | PlanOutcome | None) -> Operation:
    """The operation of a plan, or of that of a dry run."""
    plan = made.plan if isinstance(made, PlanOutcome) else made
    assert plan is not None, made
    answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
    approval = msgspec.structs.replace(an_approval(plan, console.real_now()), answers=answers, nonce=uuid4().hex)
    return console.plans.apply(plan, approval)


def undone(console: Engine, operation: Operation) -> Operation:
    """The operation that takes another back."""
    reversal = console.history.reversal(operation.id)
    approval = msgspec.structs.replace(
        an_approval(console.plans.load(operation.plan), console.real_now()),
        target=reversal.digest,
        numbers=reversal.numbers,
        risk_tier=reversal.risk_tier,
        nonce=uuid4().hex,
    )
    return console.history.undo(reversal, approval)
