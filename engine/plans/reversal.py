"""A reversal: what taking back an operation would do, shown as a diff before the one yes it needs (decision G20)."""

import msgspec

from engine.plans.operation import Effect
from engine.plans.plan import RiskTier
from engine.text.canonical_json import digest


class LateFile(msgspec.Struct, frozen=True):
    """A moved or replaced file to which lines came late: the first `size` bytes are those that were displaced."""

    path: str
    size: int


class Reversal(msgspec.Struct, frozen=True, kw_only=True):
    """The effects that take back `operation`. An approval binds to `digest`; `numbers` count effects from 1."""

    operation: str
    plan: str
    system: str
    risk_tier: RiskTier
    effects: tuple[Effect, ...]
    late: tuple[LateFile, ...] = ()
    """Files that go back with what came late."""

    @property
    def digest(self) -> str:
        return digest(self)

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.effects) + 1))
