"""A plan: every change with its full new content, and a digest that an approval binds to."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from engine.plans.trust_label import TrustLabel
from engine.text.canonical_json import digest
from engine.workspace.values import LineSpan, WorkspaceIdentity


class RiskTier(StrEnum):
    """The approval that a change needs (decisions §Risk tiers); `C` is the strictest."""

    A = "A"
    B = "B"
    C = "C"


class LineOrigin(msgspec.Struct, frozen=True):
    """Tells that line `line` (from 1) of a change's content came from `source`."""

    line: int
    source: LineSpan


class Flag(msgspec.Struct, frozen=True, order=True):
    """Tells that line `line` (from 1) of a change's content breaks `rule` of the poison classifier."""

    line: int
    rule: str


class _Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="op"):
    """The fields of all changes. `n` counts from 1 in the plan; `path` is relative to the workspace."""

    n: int
    path: str
    risk_tier: RiskTier
    reason: str
    sources: tuple[LineSpan, ...] = ()
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    """Lines that derived text omits, for the operator to see (decision G4: omitted, never deleted)."""
    warnings: tuple[str, ...] = ()
    requires: tuple[int, ...] = ()
    """The changes that must be applied with this one (an archive move needs its summary)."""
    requires_any: tuple[int, ...] = ()
    """Changes of which at least one must be applied with this one (the cooldown's stamp needs a semantic write)."""
    flags: tuple[Flag, ...] | UnsetType = UNSET
    """The added lines that look like poison. Unset, and not in the JSON, until they are checked."""
    trust: TrustLabel | UnsetType = UNSET
    """The lowest label of all sources of its content; unset where no file is a source."""

    @property
    def flagged(self) -> tuple[Flag, ...]:
        """The flags; none until they are checked."""
        return () if self.flags is UNSET else self.flags


class Create(_Change, frozen=True, kw_only=True, tag="create"):
    """Writes a file that must not exist yet."""

    content: str


class Append(_Change, frozen=True, kw_only=True, tag="append"):
    """Adds `content` at the end of an existing file; the old bytes stay its beginning (decision A11)."""

    content: str


class Replace(_Change, frozen=True, kw_only=True, tag="replace"):
    """Gives an existing file this whole new content."""

    content: str


class Move(_Change, frozen=True, kw_only=True, tag="move"):
    """Renames an existing file; `to` must not exist."""

    to: str


Change = Create | Append | Replace | Move


class Input(msgspec.Struct, frozen=True, gc=False):
    """A file that the plan read, with its sha256; None if it was missing."""

    path: str
    sha256: str | None


class QualityGate(msgspec.Struct, frozen=True):
    id: str
    passed: bool
    detail: str = ""


class Confirmation(msgspec.Struct, frozen=True):
    """A yes/no question with a recorded reason, asked if one of `changes` is chosen; empty: about the whole plan."""

    id: str
    question: str
    changes: tuple[int, ...] = ()


class ModelOutput(msgspec.Struct, frozen=True):
    """The model that wrote derived text, and the sha256 of all its text in this plan."""

    name: str
    version: str
    sha256: str


class Cost(msgspec.Struct, frozen=True):
    """The cost of making the plan. `usd` is decimal text, because the JSON may have no float."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: str = "0.00"
    estimated_usd: str | msgspec.UnsetType = msgspec.UNSET
    """The cost as it was estimated before the calls; unset in bodies of earlier versions."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The changes to make, and why. `id`, `made_at`, `cost` and `also` are not part of the digest (decision G17)."""

    id: str = ""
    system: str
    trigger: str
    workspace: WorkspaceIdentity
    now: datetime
    zone: str
    simulated_clock: bool
    made_at: datetime
    policy_sha256: str
    tokenizer: str
    inputs: tuple[Input, ...]
    changes: tuple[Change, ...]
    model: ModelOutput | None = None
    gates: tuple[QualityGate, ...] = ()
    confirmations: tuple[Confirmation, ...] = ()
    warnings: tuple[str, ...] = ()
    report: str = ""
    facts: dict[str, Any] = {}  # the planner's own figures for the JSON report, plain values only
    redoes: str | None = None  # the operation this plan does again
    cost: Cost = Cost()
    also: tuple[str, ...] = ()
    after: str | msgspec.UnsetType = msgspec.UNSET
    """The digest of the plan whose outcome this one builds on (decision A30)."""

    @property
    def risk_tier(self) -> RiskTier:
        return max((change.risk_tier for change in self.changes), default=RiskTier.A)

    @property
    def digest(self) -> str:
        """The `sha256:…` of the canonical JSON of all fields that an approval binds to."""
        # All but what is named: a field that is added later is bound without a thought.
        bound = msgspec.structs.asdict(self)
        for outside in ("id", "made_at", "cost", "also"):
            del bound[outside]
        if self.after is msgspec.UNSET:
            del bound["after"]
        return digest(bound)

    def flagged_lines(self, numbers: Collection[int] | None = None) -> int:
        """Counts the flagged lines of some changes, or of all; a line counts once."""
        return sum(len({flag.line for flag in c.flagged}) for c in self.changes if numbers is None or c.n in numbers)

    def targets(self) -> frozenset[str]:
        """Gives every path that applying would change: written, moved away, or moved to."""
        moved_to = {change.to for change in self.changes if isinstance(change, Move)}
        return frozenset(change.path for change in self.changes) | moved_to

    def tier_of(self, numbers: tuple[int, ...]) -> RiskTier:
        """Gives the highest risk tier of some changes (decisions §Risk tiers)."""
        chosen = set(numbers)
        return max((change.risk_tier for change in self.changes if change.n in chosen), default=RiskTier.A)

    def confirmations_of(self, numbers: tuple[int, ...]) -> tuple[Confirmation, ...]:
        """Gives the questions to answer for some changes; a question about other changes is not asked."""
        chosen = set(numbers)
        return tuple(one for one in self.confirmations if not one.changes or not chosen.isdisjoint(one.changes))

    def missing_requirements(self, numbers: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """Gives the missing required changes of each chosen one; all of `requires_any` where none was chosen."""
        chosen = set(numbers)
        missing: dict[int, tuple[int, ...]] = {}
        for change in self.changes:
            if change.n not in chosen:
                continue
            lacking = tuple(n for n in change.requires if n not in chosen)
            if change.requires_any and chosen.isdisjoint(change.requires_any):
                lacking += change.requires_any
            if lacking:
                missing[change.n] = lacking
        return missing


class PlanState(StrEnum):
    """The state of a plan (CLI.md §JSON)."""

    PENDING = "pending"
    STALE = "stale"
    SUPERSEDED = "superseded"
    APPROVED = "approved"
    EXPIRED = "expired"
    APPLYING = "applying"
    PARTIAL = "partial"
    CONFLICT = "conflict"
    APPLIED = "applied"
    REJECTED = "rejected"
    UNDONE = "undone"


OPEN_STATES = frozenset({PlanState.PENDING, PlanState.APPROVED, PlanState.EXPIRED})
"""The states in which a plan can be approved."""


class QueueEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A plan's entry in the queue, without its contents, so that ten thousand are listed quickly."""

    id: str
    digest: str
    system: str
    trigger: str
    risk_tier: RiskTier
    state: PlanState
    made_at: datetime
    simulated_clock: bool
    changes: int
    targets: tuple[str, ...]
    inputs: tuple[Input, ...]
    policy_sha256: str
    state_reason: str = ""
    state_since: datetime
    operation: str | None = None  # the operation that applied it, once there is one
    flagged: int = 0  # lines of it that look like poison: such a plan is approved alone
    damage: str = ""  # the fault of the plan's own record; such a plan cannot be loaded
    attended: datetime | None = None  # the instant at which a person last made or opened it; None: nobody did
    after: str = ""  # the digest of the plan on whose outcome this one stands; empty for most
    snoozed_until: datetime | None = None
    """The instant until which the operator snoozed it; None if not snoozed. Not stored in the queue."""
