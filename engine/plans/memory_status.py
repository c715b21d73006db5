"""The status values that the engine gives its front ends, ready for the JSON of `CLI.md`."""

from datetime import date, datetime
from enum import StrEnum
from typing import Any

import msgspec

from engine.plans.plan import QueueEntry, RiskTier
from engine.workspace.values import Skipped


class SemanticBand(StrEnum):
    """Decision A1: ≤900 ok · 901–1020 warning · 1021–1200 risk · >1200 blocked."""

    OK = "ok"
    WARNING = "warning"
    RISK = "risk"
    BLOCKED = "blocked"


class TierFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of working or episodic memory. `oldest_days` is None for an empty tier (decision A17)."""

    files: int
    tokens: int
    oldest_days: int | None
    eligible: int = 0


class ShardFigures(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    tokens: int
    band: SemanticBand


class SemanticFigures(msgspec.Struct, frozen=True, kw_only=True):
    files: int
    tokens: int
    shards: tuple[ShardFigures, ...]


class ArchiveFigures(msgspec.Struct, frozen=True, kw_only=True):
    files: int
    tokens: int


class MemoryTiers(msgspec.Struct, frozen=True, kw_only=True):
    working: TierFigures
    episodic: TierFigures
    semantic: SemanticFigures
    archive: ArchiveFigures


class TriggerState(msgspec.Struct, frozen=True, kw_only=True):
    """One threshold with its actual value. `value` is None where there is nothing to measure."""

    id: str
    value: int | None
    threshold: int | None
    fired: bool
    detail: str = ""


class CooldownState(msgspec.Struct, frozen=True, kw_only=True):
    active: bool
    last: datetime | None
    until: datetime | None
    warning: str = ""


class QueueFigures(msgspec.Struct, frozen=True, kw_only=True):
    pending: int
    stale: int


class Degraded(msgspec.Struct, frozen=True, kw_only=True):
    """A notice: something that works less well than it could, and the fix."""

    id: str
    what: str
    fix: str


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """Something urgent: `id` is its kind, `path` the file or empty, `fix` the step to take."""

    id: str
    path: str
    detail: str
    fix: str

    @property
    def line(self) -> str:
        """The alarm in one line: `MEMORY.md: lost 239 of 242 entries …`."""
        return f"{self.path}: {self.detail}" if self.path else self.detail


class DueJob(msgspec.Struct, frozen=True, kw_only=True):
    """A scheduled dry run: when it is next due, and whether one was missed."""

    id: str
    title: str
    next_at: datetime
    overdue: bool
    detail: str = ""
    runs: tuple[str, ...] = ()  # the systems that are planned, in order


class EndedFact(msgspec.Struct, frozen=True, kw_only=True):
    """A note's statement that ended by its own `words`, without a later one."""

    id: str
    text: str
    path: str
    line: int
    words: str


class UseCounts(msgspec.Struct, frozen=True):
    """The row counts of the lists of `memdeck uses` when last counted; `refused`: those without a rule."""

    idle: int = 0
    never_used: int = 0
    not_found: int = 0
    refused: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the memory at one instant."""

    workspace: str
    now: datetime
    simulated_clock: bool
    tokenizer: str
    capabilities: tuple[str, ...]
    memory_tiers: MemoryTiers
    triggers: tuple[TriggerState, ...]
    primary_trigger: str | None
    risk_tier: RiskTier | None
    cooldown: CooldownState
    first_run: bool
    tree: dict[str, Any]
    window: dict[str, Any]
    memory_md: dict[str, Any]
    queue: QueueFigures
    degraded: tuple[Degraded, ...]
    alarms: tuple[Alarm, ...] = ()  # the worst first (decision G26)
    headline: str = ""  # the worst of all that the status tells, in a line
    due: tuple[DueJob, ...] = ()
    ended: tuple[EndedFact, ...] = ()
    uses: UseCounts = UseCounts()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()  # remarks on files: conflict markers, generated blocks, secrets, future dates
    git: bool = False
    shared: tuple[str, ...] = ()  # names of the shared knowledge that is pinned here
    next_eligible: date | None = None
    """The first day on which the compactor may take a file; None where it may today or there is none."""


class EarlierLook(msgspec.Struct, frozen=True):
    """The status and the queue of an earlier look, shown until the workspace is read."""

    status: Status
    queue: tuple[QueueEntry, ...]
