"""An approval: one person, one digest, once, for ten minutes."""

from datetime import datetime, timedelta

import msgspec

from engine.plans.plan import RiskTier

APPROVAL_WORD = "APPROVED"  # the word that a person types for risk tier C, exactly

LIFETIME = timedelta(minutes=10)  # an approval expires after ten minutes of real time (decision G11)


class Witness(msgspec.Struct, frozen=True):
    """The origin of an approval: the terminal, and the processes above ours (decision G11)."""

    tty: str
    processes: tuple[str, ...]
    user: str
    channel: str  # `console` for the dialog, `terminal` for the prompt


class ConfirmationAnswer(msgspec.Struct, frozen=True):
    """A confirmation answered yes, with the operator's reason."""

    id: str
    reason: str


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A person's yes to exactly this. Built only by `engine.plans.grant`, which only the two front ends import.
    `target` is a plan's digest, or a reversal's. `numbers` are the changes it covers. `nonce` is spent on first use."""

    target: str
    numbers: tuple[int, ...]
    risk_tier: RiskTier
    answers: tuple[ConfirmationAnswer, ...]
    witness: Witness
    granted_at: datetime
    expires_at: datetime
    nonce: str
    shown: str = ""
    """The way its changes were looked at (decision G22): `each` on its own, `groups` of those alike; empty: unknown."""
