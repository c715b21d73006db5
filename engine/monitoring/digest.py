"""Makes the digest of a span of time, one value for page, mail and JSON."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import asdict

from engine.history.explorations import Exploration
from engine.models.cost_ledger import LedgerLine
from engine.monitoring.learnt import Quote
from engine.monitoring.note_flags import NoteFlag
from engine.monitoring.trends import Trend
from engine.plans.memory_status import Alarm
from engine.plans.operation import Operation, OperationKind, OperationState
from engine.plans.plan import OPEN_STATES, PlanState, QueueEntry, RiskTier

USUAL = timedelta(days=7)  # the stretch where no earlier digest is known: a week
CELLS = 14  # values of a curve: two a day over a week
FAR_DAYS = 90  # days ahead up to which a limit that will be crossed is told
_DONE = frozenset({OperationState.DONE, OperationState.PARTIAL, OperationState.CONFLICT, OperationState.UNDONE})


class DigestPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan in a digest. `at`: when it reached its state; `reason`: why the operator refused it."""

    id: str
    system: str
    trigger: str
    risk_tier: RiskTier
    changes: int
    made_at: datetime
    at: datetime
    reason: str = ""
    snoozed_until: datetime | None = None


class DigestOperation(msgspec.Struct, frozen=True, kw_only=True):
    """An operation in a digest: applied or undone. `asked`: a person approved it."""

    id: str
    plan: str
    system: str
    risk_tier: RiskTier
    at: datetime
    files: int
    asked: bool
    undoes: str = ""


class FallingFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file near or above a platform's cap, in `unit`; `lines`: those already not loaded."""

    platform: str
    path: str
    unit: str
    value: int
    cap: int
    lines: int

    @property
    def headroom(self) -> int:
        return self.cap - self.value


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """A gauge over the span, `values` at equal distances (None: unknown), and its next limit."""

    id: str
    unit: str
    before: int | None
    value: int
    values: tuple[int | None, ...]
    limits: tuple[int, ...] = ()
    per_week: float | None = None
    limit: str = ""
    limit_value: int | None = None
    days: int | None = None
    over: bool = False


class RoleCost(msgspec.Struct, frozen=True):
    """The calls of one role and their cost. `usd`: a decimal number as text."""

    role: str
    calls: int
    usd: str


class OldExploration(msgspec.Struct, frozen=True, kw_only=True):
    """An exploration older than a week; `folder` is empty if it has none."""

    name: str
    begun: datetime
    folder: str = ""


class WeeklyDigest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that happened from `since` until `until`, and what is ahead."""

    workspace: str
    since: datetime
    until: datetime
    simulated_clock: bool
    notes: int  # notes that the agent dated within the stretch
    learnt: tuple[Quote, ...]
    planned: tuple[DigestPlan, ...]
    approved: tuple[DigestOperation, ...]
    refused: tuple[DigestPlan, ...]
    undone: tuple[DigestOperation, ...]
    waiting: tuple[DigestPlan, ...]
    falling: tuple[FallingFile, ...]
    curves: tuple[Curve, ...]
    cost: tuple[RoleCost, ...]
    usd: str
    alarms: tuple[Alarm, ...] = ()  # alarms at `until`, the worst first (decision G26)
    explorations: tuple[OldExploration, ...] = ()
    """Explorations that last longer than a week at `until`, the oldest first."""
    flags: tuple[NoteFlag, ...] = ()  # flagged lines of notes that nobody looked at, at `until` (decision G30)


def weekly_digest(
    *,
    workspace: str,
    since: datetime,
    until: datetime,
    simulated_clock: bool,
    notes: int,
    learnt: Sequence[Quote],
    entries: Sequence[QueueEntry],
    operations: Iterable[Operation],
    falling: Sequence[FallingFile],
    trends: Sequence[Trend],
    ledger: Sequence[LedgerLine],
    explorations: Sequence[Exploration] = (),
    alarms: tuple[Alarm, ...] = (),
    flags: tuple[NoteFlag, ...] = (),
) -> WeeklyDigest:
    """Makes the digest from the data as of `until`; lists are oldest first. Equal data give an equal digest."""
    entries = sorted(entries, key=lambda entry: (entry.made_at, entry.id))
    done = [op for op in operations if op.state in _DONE and since < op.started_at <= until]
    told = sorted(done, key=lambda op: (op.started_at, op.id))
    refused = [entry for entry in entries if entry.state is PlanState.REJECTED and since < entry.state_since <= until]
    old = sorted((one for one in explorations if one.is_old(until)), key=lambda one: (one.begun, one.name))
    cost = _cost(line for line in ledger if line.time is not None and since < line.time <= until)
    return WeeklyDigest(
        workspace=workspace,
        since=since,
        until=until,
        simulated_clock=simulated_clock,
        notes=notes,
        learnt=tuple(learnt),
        planned=tuple(_plan(entry) for entry in entries if since < entry.made_at <= until),
        approved=tuple(_operation(op) for op in told if op.kind is OperationKind.APPLY),
        refused=tuple(_plan(entry) for entry in refused),
        undone=tuple(_operation(op) for op in told if op.kind is OperationKind.UNDO),
        waiting=tuple(_plan(entry) for entry in entries if entry.state in OPEN_STATES),
        falling=tuple(sorted(falling, key=lambda file: (file.headroom, file.platform, file.path))),
        curves=tuple(sorted((_curve(trend, since, until) for trend in trends), key=_urgency)),
        cost=cost,
        usd=f"{sum(float(role_cost.usd) for role_cost in cost):.2f}",
        explorations=msgspec.convert(old, tuple[OldExploration, ...], from_attributes=True),
        alarms=alarms,
        flags=flags,
    )


def _plan(entry: QueueEntry) -> DigestPlan:
    reason = entry.state_reason if entry.state is PlanState.REJECTED else ""
    return msgspec.convert(asdict(entry) | {"at": entry.state_since, "reason": reason}, DigestPlan)


def _operation(operation: Operation) -> DigestOperation:
    more = {
        "at": operation.started_at,
        "files": len(operation.effects if operation.state is OperationState.UNDONE else operation.done),
        "asked": operation.approval is not None,
        "undoes": operation.undoes or "",
    }
    return msgspec.convert(asdict(operation) | more, DigestOperation)


def _curve(trend: Trend, since: datetime, until: datetime) -> Curve:
    step = (until - since) / CELLS
    values = (*(_known(trend, since + step * part) for part in range(1, CELLS)), trend.value)
    next_limit = trend.forecast.crossings[0] if trend.forecast is not None and trend.forecast.crossings else None
    near = next_limit if next_limit is not None and next_limit.days <= FAR_DAYS else None
    return Curve(
        id=trend.id,
        unit=trend.unit,
        before=_known(trend, since),
        value=trend.value,
        values=values,
        limits=tuple(limit.value for limit in trend.limits),
        per_week=round(trend.forecast.per_week, 1) if trend.forecast is not None else None,
        limit=near.limit if near else "",
        limit_value=near.value if near else None,
        days=near.days if near else None,
        over=bool(trend.limits) and trend.value > trend.limits[-1].value,
    )


def _known(trend: Trend, at: datetime) -> int | None:
    return next((value for sampled, value in reversed(trend.points) if sampled <= at), None)


def _urgency(curve: Curve) -> tuple[bool, int, str]:
    """Sorts curves: above a limit first, then by remaining days, then by name."""
    return not curve.over, curve.days if curve.days is not None else 1 << 30, curve.id


def _cost(lines: Iterable[LedgerLine]) -> tuple[RoleCost, ...]:
    by_role: dict[str, list[LedgerLine]] = {}
    for line in lines:
        by_role.setdefault(line.role, []).append(line)
    found = sorted(by_role.items())
    return tuple(RoleCost(role, len(calls), f"{sum(line.usd for line in calls):.4f}") for role, calls in found)
