"""The row of one agent: the figures that tell whether it needs its operator, ready for JSON."""

from enum import StrEnum
from typing import Any

import msgspec

from engine.plans.plan import QueueEntry, RiskTier
from engine.state.table import Instant


class FleetBand(StrEnum):
    """The worst state of a row, in the order of need; `unknown` for an agent that could not be read."""

    BLOCKED = "blocked"
    RISK = "risk"
    UNKNOWN = "unknown"
    WARNING = "warning"
    OK = "ok"


class NextCrossing(msgspec.Struct, frozen=True, kw_only=True):
    """The limit that a gauge is forecast to cross next, in `days`."""

    gauge: str
    limit: str
    value: int
    days: int


class FleetWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The context window in use, as `status` tells it, and the next band."""

    tokens: int = 0
    limit: int = 0
    band: str = ""
    next: dict[str, Any] | None = None


class FleetRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent at one instant. `machine` is empty for this machine; `read_at` is None until the first reading."""

    agent: str
    workspace: str
    machine: str = ""
    group: str = ""
    muted: bool = False
    read_at: Instant | None = None  # the instant at which its figures were known to be true
    problem: str = ""  # the reason why it could not be read now; its figures are then those of `read_at`
    band: FleetBand = FleetBand.UNKNOWN
    headline: str = ""
    fired: tuple[str, ...] = ()
    waits: dict[RiskTier, int] = {}  # the plans that wait, by risk tier
    oldest: Instant | None = None  # the instant at which the oldest of them was made
    unread: int = 0  # lines that the agent added since the operator last looked
    alarms: int = 0
    falling: int = 0  # lines of its notes that its platforms do not load
    window: FleetWindow = FleetWindow()
    crossing: NextCrossing | None = None
    cost_today: float = 0.0
    heartbeat: Instant | None = None  # the last dry run, scheduled or not, or operation
    late: bool = False  # true if a scheduled dry run was missed, or anything stopped
    approved: Instant | None = None  # the last approval
    plans: tuple[QueueEntry, ...] = ()  # the oldest that wait, without their inputs
