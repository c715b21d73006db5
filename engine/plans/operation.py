"""An operation: what an apply or an undo did to which file, kept so that it can be taken back; and its reversal."""

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from engine.plans.plan import RiskTier
from engine.text.canonical_json import digest
from engine.text.digits import whole_number

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


class Write(msgspec.Struct, frozen=True, tag="put"):
    """The file `path` went from the bytes `before` (None: it was not there) to the bytes `after`."""

    path: str
    before: str | None
    after: str


class Rename(msgspec.Struct, frozen=True, tag="shift", omit_defaults=True):
    """The file with bytes `sha256` went from `path` to `to`. `size` counts them; None in records that lack it. Without
    `size` it is written as it always was, so that the digests of older records hold."""

    path: str
    to: str
    sha256: str
    size: int | None = None


class Withdraw(msgspec.Struct, frozen=True, tag="withdraw"):
    """The file `path` with bytes `before` left the workspace for the displaced store (undo of a creation)."""

    path: str
    before: str


Effect = Write | Rename | Withdraw  # The change of one path. Effects of one operation touch each path at most once.


class OperationKind(StrEnum):
    APPLY = "apply"
    UNDO = "undo"


class OperationState(StrEnum):
    """`undone`: taken back later. `partial`: only some effects stand. `conflict`: a foreign write was met."""

    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    CONFLICT = "conflict"
    ROLLED_BACK = "rolled-back"
    UNDONE = "undone"


STANDING = frozenset({OperationState.DONE, OperationState.PARTIAL})
"""States of an operation of which something stands in the workspace."""


class Held(msgspec.Struct, frozen=True):
    """A displaced file kept as the very inode that was displaced, so that late writes land in what we keep. `place` is
    the absolute path of the held file, `sha256` what it held when it was displaced."""

    path: str
    place: str
    sha256: str
    until: datetime


class ChainHead(msgspec.Struct, frozen=True):
    """The audit log's head: sequence number and hash of its last record."""

    seq: int
    hash: str


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One finished, running or taken-back change of the workspace."""

    id: str
    kind: OperationKind
    plan: str  # the plan it applied; for an undo, the plan of the operation it took back
    system: str
    trigger: str
    risk_tier: RiskTier
    state: OperationState
    started_at: datetime
    finished_at: datetime | None
    simulated_clock: bool
    numbers: tuple[int, ...]
    effects: tuple[Effect, ...]
    done: tuple[int, ...]  # indices into `effects` of those that took place
    held: tuple[Held, ...] = ()
    undoes: str | None = None
    undone_by: str | None = None
    redoes: str | None = None  # the operation that this one did again
    as_of: datetime | None = None
    """The plan's own instant: a what-if time where `simulated_clock`, while `started_at` is always real."""
    folders: tuple[str, ...] = ()  # folders it had to make, parents first; an undo removes those that are empty again
    approval: Approval | None = None  # none only where the policy let a tier A plan run by itself
    audit_head: ChainHead | None = None
    commit: str | None = None
    message: str = ""
    problems: tuple[str, ...] = ()


def id_order(name: str) -> tuple[str, int]:
    """Orders ids as they are given: by day, then by number."""
    _, _, rest = name.partition("-")
    day, _, number = rest.partition("-")
    return day, whole_number(number) or 0


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
    late: tuple[LateFile, ...] = ()  # files that go back with what came late

    @property
    def digest(self) -> str:
        return digest(self)

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.effects) + 1))
