"""A plan: every change with its full new content, bound by a digest to all that it was made from."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from engine.plans.trust import TrustLabel
from engine.text.canonical_json import digest
from engine.workspace.values import LineSpan, WorkspaceIdentity


class RiskTier(StrEnum):
    """The approval that a change needs (decisions §Risk tiers); `C` is the strictest."""

    A = "A"
    B = "B"
    C = "C"


class LineOrigin(msgspec.Struct, frozen=True):
    """Line `line` (from 1) of a change's content came from `source`."""

    line: int
    source: LineSpan


class Flag(msgspec.Struct, frozen=True, order=True):
    """Line `line` (from 1) of a change's content breaks `rule` of the poison classifier; it is shown, never hidden."""

    line: int
    rule: str


class _Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="op"):
    """The fields that all changes share. `n` counts from 1 within the plan, `path` is workspace-relative POSIX."""

    n: int
    path: str
    risk_tier: RiskTier
    reason: str
    sources: tuple[LineSpan, ...] = ()
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    """Lines that derived text leaves out, named for the operator (decision G4: left out, never deleted)."""
    warnings: tuple[str, ...] = ()
    requires: tuple[int, ...] = ()
    """Changes without which this one may not be applied (an archive move needs its summary)."""
    requires_any: tuple[int, ...] = ()
    """At least one of these must be applied with this one (the cooldown's stamp needs a semantic write)."""
    flags: tuple[Flag, ...] | UnsetType = UNSET
    """Lines it adds that look like poison. Unset, and so absent from the JSON: nothing has looked for them."""
    trust: TrustLabel | UnsetType = UNSET
    """The lowest label of all that its content was made from; unset where it was made from no file."""

    @property
    def flagged(self) -> tuple[Flag, ...]:
        """The flags; none where nothing has looked for them."""
        return () if self.flags is UNSET else self.flags


class Create(_Change, frozen=True, kw_only=True, tag="create"):
    """Write a file that must not exist yet."""

    content: str


class Append(_Change, frozen=True, kw_only=True, tag="append"):
    """Add `content` at the end of an existing file; the old bytes stay a prefix of the new (decision A11)."""

    content: str


class Replace(_Change, frozen=True, kw_only=True, tag="replace"):
    """Give an existing file this whole new content."""

    content: str


class Move(_Change, frozen=True, kw_only=True, tag="move"):
    """Rename an existing file; `to` must not exist."""

    to: str


Change = Create | Append | Replace | Move


class Input(msgspec.Struct, frozen=True, gc=False):
    """A file the plan read, with the sha256 of its bytes; None: it was not there."""

    path: str
    sha256: str | None


class QualityGate(msgspec.Struct, frozen=True):
    """A quality check the planner made, and how it came out."""

    id: str
    passed: bool
    detail: str = ""


class Confirmation(msgspec.Struct, frozen=True):
    """A yes/no question whose reason is recorded. It adds to the risk tier, never replaces it. `changes` are those it
    is about: asked where any of them is chosen. None named: about the whole plan."""

    id: str
    question: str
    changes: tuple[int, ...] = ()


class ModelOutput(msgspec.Struct, frozen=True):
    """The model that wrote derived text, and the sha256 of all it wrote for this plan."""

    name: str
    version: str
    sha256: str


class Cost(msgspec.Struct, frozen=True):
    """The cost of making the plan. `usd` is a decimal number of US dollars as text, so that no float enters JSON."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: str = "0.00"
    estimated_usd: str | msgspec.UnsetType = msgspec.UNSET
    """The cost as it was reckoned before the calls were made; bodies of earlier versions have none."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The changes to make, and why. `id`, `made_at`, `cost` and `also` are outside the digest (decision G17)."""

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
    """The digest of the plan on whose outcome this one stands (decision A30)."""

    @property
    def risk_tier(self) -> RiskTier:
        return max((change.risk_tier for change in self.changes), default=RiskTier.A)

    @property
    def digest(self) -> str:
        """`sha256:…` of the canonical JSON of all that an approval is bound to."""
        # All but what is named: a field that is added later is bound without a thought.
        bound = msgspec.structs.asdict(self)
        for outside in ("id", "made_at", "cost", "also"):
            del bound[outside]
        if self.after is msgspec.UNSET:
            del bound["after"]
        return digest(bound)

    def flagged_lines(self, numbers: Collection[int] | None = None) -> int:
        """Counts the flagged lines of some changes, or of all, however many rules each breaks."""
        return sum(len({flag.line for flag in c.flagged}) for c in self.changes if numbers is None or c.n in numbers)

    def targets(self) -> frozenset[str]:
        """Gives every path that applying would touch: written, moved away, or moved to."""
        moved_to = {change.to for change in self.changes if isinstance(change, Move)}
        return frozenset(change.path for change in self.changes) | moved_to

    def tier_of(self, numbers: tuple[int, ...]) -> RiskTier:
        """Gives the risk tier of a subset, computed anew (decisions §Risk tiers)."""
        chosen = set(numbers)
        return max((change.risk_tier for change in self.changes if change.n in chosen), default=RiskTier.A)

    def confirmations_of(self, numbers: tuple[int, ...]) -> tuple[Confirmation, ...]:
        """Gives the questions that a subset must answer: a question about changes that are left out is not asked."""
        chosen = set(numbers)
        return tuple(one for one in self.confirmations if not one.changes or not chosen.isdisjoint(one.changes))

    def missing_requirements(self, numbers: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """For each chosen change, the required changes that were not chosen; all of `requires_any` where none was."""
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
    """The state of a plan (CLI.md §JSON): a closed set, handled with `match`."""

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
"""States from which a plan may (again) be approved."""


class QueueEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A plan's place in the queue, without its contents: cheap to list by the ten thousand."""

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
    """The instant until which the operator put it off; None: not put off. Never kept in the queue itself."""
