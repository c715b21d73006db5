"""Lists and compares past dry runs, with or without a plan."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from engine.errors import UsageError
from engine.plans.diff import DiffRow, RowKind, line_diff
from engine.plans.plan import Change, Move, Plan, PlanState, QueueEntry, RiskTier
from engine.plans.planning import PlanOutcome
from engine.state.database import StateDatabase
from engine.state.table import Instant, StateTable, Table
from engine.text.digits import whole_number
from engine.text.secrets.detector import redact, redacted

MOST = 200  # dry runs without a plan that are kept; the oldest go first. Plans are kept by the queue.


class ReportEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One dry run in a list. `id`: the plan's, or `r-…` without a plan; then `reason` says why."""

    id: str
    system: str
    made_at: datetime
    simulated_clock: bool
    state: PlanState | None = None
    risk_tier: RiskTier | None = None
    trigger: str = ""
    changes: int = 0
    reason: str = ""


class DryRunReport(msgspec.Struct, frozen=True, kw_only=True):
    """One dry run as a page: the planner's text and its figures."""

    entry: ReportEntry
    now: datetime
    text: str
    facts: dict[str, Any] = {}
    changes: tuple[Change, ...] = ()


class ThresholdShift(msgspec.Struct, frozen=True, kw_only=True):
    """A threshold that differs between two dry runs; None if one run does not have it."""

    id: str
    value_before: int | None
    value_after: int | None
    limit_before: int | None
    limit_after: int | None
    fired_before: bool
    fired_after: bool


class ReportDiff(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between two dry runs. `changed`: changes of the same kind and path with another text."""

    before: ReportEntry
    after: ReportEntry
    thresholds: tuple[ThresholdShift, ...]
    added: tuple[Change, ...]
    removed: tuple[Change, ...]
    changed: tuple[tuple[Change, Change], ...]
    same: int
    rows: tuple[DiffRow, ...]

    @property
    def lines(self) -> tuple[int, int]:
        """Numbers of added and removed lines of the reports."""
        kinds = [row.kind for row in self.rows]
        return kinds.count(RowKind.ADDED), kinds.count(RowKind.REMOVED)


class _Run(msgspec.Struct, frozen=True, kw_only=True):
    """A stored dry run without a plan."""

    system: str
    made_at: Instant
    now: Instant
    simulated_clock: bool
    reason: str
    text: str
    facts: dict[str, Any] = {}


class RunsWithoutPlan:
    """Stores the reports of dry runs that found nothing to do. Skips damaged ones."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.DRY_RUNS)

    def keep(
        self, system: str, outcome: PlanOutcome, *, made_at: datetime, now: datetime, simulated_clock: bool
    ) -> str:
        """Stores the report of a dry run without a plan; returns its id. Raises as `StateDatabase.transaction`."""
        run = _Run(
            system=system,
            made_at=made_at,
            now=now,
            simulated_clock=simulated_clock,
            reason=redact(outcome.reason_no_action or ""),
            text=redact(outcome.report, keep_lines=True),
            facts=redacted(outcome.facts),
        )
        with self._table.change() as rows:
            names = sorted(rows.names(), key=_order)
            prefix = f"r-{made_at.astimezone(UTC):%Y%m%d}-"
            # Damaged rows' names count too: a new one must not be one of them.
            last = max((_order(name)[1] for name in names if name.startswith(prefix)), default=0)
            name = f"{prefix}{last + 1:04d}"
            rows.put(name, msgspec.json.encode(run))
            for old in names[: max(0, len(names) + 1 - MOST)]:
                rows.drop(old)
        return name

    def entries(self) -> tuple[ReportEntry, ...]:
        """Gives the runs that can be read, oldest first."""
        runs = self._table.values(_Run)
        return tuple(_run_entry(name, runs[name]) for name in sorted(runs, key=_order))

    def load(self, name: str) -> DryRunReport:
        if (run := self._table.get(name, _Run)) is None:
            raise UsageError("there is no such dry run", where=name, hint="memdeck reports lists them")
        return DryRunReport(entry=_run_entry(name, run), now=run.now, text=run.text, facts=run.facts)


def _run_entry(name: str, run: _Run) -> ReportEntry:
    return ReportEntry(
        id=name, system=run.system, made_at=run.made_at, simulated_clock=run.simulated_clock, reason=run.reason
    )


def _order(name: str) -> tuple[str, int]:
    day, _, number = name.removeprefix("r-").partition("-")
    return day, whole_number(number) or 0


def entry_of(entry: QueueEntry) -> ReportEntry:
    """Gives a queued plan as a dry run in the list."""
    listed = msgspec.convert(entry, ReportEntry, from_attributes=True)
    return msgspec.structs.replace(listed, reason=entry.damage or entry.state_reason)


def listed(entries: Iterable[QueueEntry], runs: Iterable[ReportEntry]) -> tuple[ReportEntry, ...]:
    """Gives all dry runs, newest first."""
    every = [*map(entry_of, entries), *runs]
    return tuple(sorted(every, key=lambda entry: (entry.made_at, entry.id), reverse=True))


def report_of(plan: Plan, entry: QueueEntry) -> DryRunReport:
    """Gives a plan's dry run as a page."""
    return DryRunReport(entry=entry_of(entry), now=plan.now, text=plan.report, facts=plan.facts, changes=plan.changes)


def compare(before: DryRunReport, after: DryRunReport) -> ReportDiff:
    """Compares two dry runs: thresholds, changes, and the lines of the reports."""
    old, new = (
        {(type(change), change.path, change.sources): change for change in report.changes} for report in (before, after)
    )
    both = [(old[key], new[key]) for key in old if key in new]
    changed = tuple((was, now) for was, now in both if _what(was) != _what(now))
    return ReportDiff(
        before=before.entry,
        after=after.entry,
        thresholds=tuple(_shifts(before.facts, after.facts)),
        added=tuple(change for key, change in new.items() if key not in old),
        removed=tuple(change for key, change in old.items() if key not in new),
        changed=changed,
        same=len(both) - len(changed),
        rows=line_diff(before.text, after.text),
    )


def _what(change: Change) -> tuple[str, str]:
    return (change.to if isinstance(change, Move) else change.content), change.risk_tier.value


def _shifts(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[ThresholdShift]:
    old, new = _thresholds(before), _thresholds(after)
    for name in dict.fromkeys((*old, *new)):
        was, now = (thresholds.get(name, (None, None, False)) for thresholds in (old, new))
        if was != now:
            yield ThresholdShift(
                id=name,
                value_before=was[0],
                value_after=now[0],
                limit_before=was[1],
                limit_after=now[1],
                fired_before=was[2],
                fired_after=now[2],
            )


def _thresholds(facts: Mapping[str, Any]) -> dict[str, tuple[int | None, int | None, bool]]:
    """Returns value, limit and state of each threshold in a report, by id."""
    given = facts.get("thresholds")
    rows = (row for row in (given if isinstance(given, list | tuple) else ()) if isinstance(row, Mapping))
    return {
        str(row["id"]): (_number(row.get("value")), _number(row.get("threshold")), row.get("fired") is True)
        for row in rows
        if "id" in row
    }


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
