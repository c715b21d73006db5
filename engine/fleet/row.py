"""The row of one agent: all that says whether it needs its operator, plain enough to be printed as JSON."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from engine.plans.plan import QueueEntry, RiskTier


class FleetBand(StrEnum):
    """The worst that a row tells, in the order of need. An agent that could not be read is `unknown`."""

    BLOCKED = "blocked"
    RISK = "risk"
    UNKNOWN = "unknown"
    WARNING = "warning"
    OK = "ok"


class FleetRow(msgspec.Struct, frozen=True, kw_only=True):
    """One agent at one instant. `machine` is empty for this one; `read_at` is None while it was never read."""

    agent: str
    workspace: str
    machine: str = ""
    group: str = ""
    muted: bool = False
    read_at: datetime | None = None
    """The instant at which its figures were known to be true."""
    problem: str = ""
    """The reason why it could not be read now; its figures are then those of `read_at`."""
    band: FleetBand = FleetBand.UNKNOWN
    headline: str = ""
    fired: tuple[str, ...] = ()
    waits: dict[RiskTier, int] = {}
    """The plans that wait, by risk tier."""
    oldest: datetime | None = None
    """The instant at which the oldest of them was made."""
    unread: int = 0
    """Lines that the agent added since the operator last looked."""
    alarms: int = 0
    falling: int = 0
    """Lines of its notes that its platforms do not load."""
    window: dict[str, Any] = {}
    """The window in use with its forecast, as `status` has it."""
    crossing: dict[str, Any] = {}
    """The limit that is crossed next: `gauge`, `limit`, `value` and `days`; empty where none is in sight."""
    cost_today: float = 0.0
    heartbeat: datetime | None = None
    """The last dry run, scheduled or not, or operation."""
    late: bool = False
    """True if a scheduled dry run was missed."""
    approved: datetime | None = None
    """The last approval."""
    plans: tuple[QueueEntry, ...] = ()
    """The oldest that wait, without their inputs."""
