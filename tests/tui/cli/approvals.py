"""Approvals for the tests of the commands."""

from datetime import UTC, datetime

from engine.plans.operation import LIFETIME, Approval, Witness
from engine.plans.plan import Plan


def an_approval(plan: Plan, now: datetime | None = None) -> Approval:
    """A yes to all of a plan, given `now`, or at the time of the machine."""
    now = datetime.now(UTC) if now is None else now
    return Approval(
        target=plan.digest,
        numbers=tuple(change.n for change in plan.changes),
        risk_tier=plan.risk_tier,
        answers=(),
        witness=Witness(tty="/dev/pts/9", processes=("bash(1)",), user="ana", channel="terminal"),
        granted_at=now,
        expires_at=now + LIFETIME,
        nonce="0" * 32,
    )
