"""An operation: which files an apply or undo changed, kept so that it can be undone; and its reversal."""

from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from engine.plans.plan import RiskTier
from engine.text.canonical_json import digest
from engine.text.digits import whole_number

APPROVAL_WORD = "APPROVED"  # the word that a person types for risk tier C, exactly

LIFETIME = timedelta(minutes=10)  # an approval expires after ten minutes of real time (decision G11)


class Witness(msgspec.Struct, frozen=True):
    """The origin of an approval: the user, the terminal, and the parent processes (decision G11)."""

    tty: str
    processes: tuple[str, ...]
    user: str
    channel: str  # `console` for the dialog, `terminal` for the prompt


class ConfirmationAnswer(msgspec.Struct, frozen=True):
    """A confirmation answered yes, with the operator's reason."""

    id: str
    reason: str


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A person's yes to these changes, made only by `engine.plans.grant`. `target`: the digest of a plan or undo."""

    target: str
    numbers: tuple[int, ...]
    risk_tier: RiskTier
    answers: tuple[ConfirmationAnswer, ...]
    witness: Witness
    granted_at: datetime
    expires_at: datetime
    nonce: str
    shown: str = ""
    """The way its changes were reviewed (decision G22): `each` alone, or in `groups`; empty if unknown."""


class Write(msgspec.Struct, frozen=True, tag="put"):
    """The file `path` changed from the bytes `before` (None for no file) to the bytes `after`; both are sha256."""

    path: str
    before: str | None
    after: str


class Rename(msgspec.Struct, frozen=True, tag="shift", omit_defaults=True):
    """The file with this sha256 moved from `path` to `to`. `size` is in bytes, None in older records."""

    path: str
    to: str
    sha256: str
    size: int | None = None


class Withdraw(msgspec.Struct, frozen=True, tag="withdraw"):
    """The file `path` with bytes `before` moved from the workspace to the displaced store (undo of a creation)."""

    path: str
    before: str


Effect = Write | Rename | Withdraw  # The change of one path. Effects of one operation touch each path at most once.


class OperationKind(StrEnum):
    APPLY = "apply"
    UNDO = "undo"


class OperationState(StrEnum):
    """An operation's state. `undone`: undone later. `partial`: some effects remain. `conflict`: met a foreign write."""

    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    CONFLICT = "conflict"
    ROLLED_BACK = "rolled-back"
    UNDONE = "undone"


STANDING = frozenset({OperationState.DONE, OperationState.PARTIAL})
"""States of an operation with effects that remain in the workspace."""


class Held(msgspec.Struct, frozen=True):
    """A displaced file at the absolute path `place`, kept as the same inode so that late writes reach it."""

    path: str
    place: str
    sha256: str
    until: datetime


class ChainHead(msgspec.Struct, frozen=True):
    """The audit log's head: sequence number and hash of its last record."""

    seq: int
    hash: str


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One running, finished or undone change of the workspace."""

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
    """The plan's own instant: a what-if time where `simulated_clock`; `started_at` is always real."""
    folders: tuple[str, ...] = ()  # folders it had to make, parents first; an undo removes those that are empty again
    approval: Approval | None = None  # none only where the policy let a tier A plan run by itself
    audit_head: ChainHead | None = None
    commit: str | None = None
    message: str = ""
    problems: tuple[str, ...] = ()


def id_order(name: str) -> tuple[str, int]:
    """Gives the sort key of an id: its day, then its number."""
    _, _, rest = name.partition("-")
    day, _, number = rest.partition("-")
    return day, whole_number(number) or 0


class LateFile(msgspec.Struct, frozen=True):
    """A moved or replaced file to which lines came late; its first `size` bytes are the displaced ones."""

    path: str
    size: int


class Reversal(msgspec.Struct, frozen=True, kw_only=True):
    """The effects that undo `operation`. An approval binds to `digest`; `numbers` count effects from 1."""

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
