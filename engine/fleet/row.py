"""The row of one agent: all that says whether it needs its operator, plain enough to be printed as JSON."""

from enum import StrEnum
from typing import Any

import msgspec

from engine.plans.plan import QueueEntry, RiskTier
from engine.state.table import Instant


class FleetBand(StrEnum):
    """The worst that a row tells, in the order of need. An agent that could not be read is `unknown`."""

    BLOCKED = "blocked"
    RISK = "risk"
    UNKNOWN = "unknown"
    WARNING = "warning"
    OK = "ok"


class NextCrossing(msgspec.Struct, frozen=True, kw_only=True):
    """The limit that a gauge crosses next, in so many days."""

    gauge: str
    limit: str
    value: int
    days: int


class FleetWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The context window in use, as `status` tells it, with the band that comes next."""

    tokens: int = 0
    limit: int = 0
    band: str = ""
    next: dict[str, Any] | None = None


class FleetRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent at one instant. `machine` is empty for this one; `read_at` is None while it was never read."""

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
