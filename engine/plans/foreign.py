"""Marks a change whose text came from outside: the lowest trust, and tier C for lines that steer (decision G27)."""

from msgspec.structs import replace

from engine.plans.flags import poisoned_lines
from engine.plans.plan import Append, Create, Replace, RiskTier
from engine.plans.trust import Trust, TrustLabel

Written = Create | Append | Replace


def foreign(change: Written, added: str, origin: str) -> Written:
    """The change with its label; `added` are the lines that are new here, `origin` says where they came from."""
    tier = RiskTier.C if poisoned_lines(added) else change.risk_tier
    return replace(change, risk_tier=tier, trust=TrustLabel(Trust.UNTRUSTED, origin))
