"""Approves a plan as a person at a terminal would, and puts it into the workspace."""

from engine.plans.operation import LIFETIME, Approval, Operation, Witness
from engine.plans.plan import Plan
from engine.services.engine import Engine
from tests.engine.lifecycle.events import end, said, start


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


def replay_in_part(console: Engine) -> None:
    """Has a replay wait in which both extractors found something of a session: only a part of it was applied before.

    An extraction waits too.
    """
    at, words = "2026-03-12T10:00:00Z", "I prefer short answers. We decided to use KeyDB for the cache of billing."
    list(console.capture.record((start("ses_part", at), said(words, at=at), end(at))))
    plan = console.plans.make("extract").plan
    assert plan is not None
    approve(console, plan, tuple(one.n for one in plan.changes if "KeyDB" in str(one)))
    console.plans.make("extract")
    console.plans.make("replay")
