"""Serves what changes no memory: looking back, supposing a day, putting off and rewording plans."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property

import msgspec

from engine.compactor.semantic import entry_edit
from engine.compactor.semantic.duplicates import Duplicate
from engine.compactor.semantic.entry import SchemaProblem
from engine.compactor.semantic.entry_edit import PlannedEntry
from engine.compactor.semantic.side_by_side import SideBySide, side_by_side
from engine.errors import MemdeckError, Stale, UsageError
from engine.monitoring import dry_runs
from engine.monitoring.agent_changes import AgentChange, AgentChangeLog, SinceLook, places_of
from engine.monitoring.dry_runs import DryRunReport, ReportDiff, ReportEntry, RunsWithoutPlan
from engine.monitoring.gauges import gauges_of
from engine.monitoring.last_look import SeenStore
from engine.monitoring.last_status import LastStatus
from engine.monitoring.retention import Retention, kept
from engine.monitoring.snooze import Snoozed
from engine.monitoring.trends import Trend, TrendLog, trends
from engine.plans.diff import FileDiff
from engine.plans.past_effects import operation_diffs
from engine.plans.plan import OPEN_STATES, Plan, PlanState, QueueEntry
from engine.plans.status import EarlierLook, PlanOutcome, Status
from engine.services.planners import PlanRequest, find_system
from engine.services.wiring import Wiring
from engine.workspace.snapshot import Snapshot


class Review(ABC):
    """The half of `Console` that looks back and ahead. Writes in the operator's state folder alone."""

    _parts: Wiring
    _busy: threading.RLock
    _opened_for: datetime | None
    """The what-if time the console was opened with."""
    _supposing = False

    def now(self) -> datetime:
        """The instant decisions are made for: what-if time, or real time."""
        return self._parts.now()

    def real_now(self) -> datetime:
        """Real time, for approvals and ages."""
        return self._parts.real_clock()

    # ── what-if ────────────────────────────────────────────────────────────────────────────────────────────────────

    def suppose(self, at: datetime | None) -> None:
        """From now on decides as if it were `at`; None: as it was opened. Status and plans are marked as simulated.

        Nothing runs by itself meanwhile, and no trend is recorded (decision G18).
        """
        if at is not None and at.tzinfo is None:
            raise UsageError("a what-if time needs an offset", where=at.isoformat(), hint="like 2026-03-15T03:00+00:00")
        with self._busy:
            what_if = at if at is not None else self._opened_for
            self._parts = replace(self._parts, what_if=what_if, context=replace(self._parts.context, now=what_if))
            self._supposing = at is not None

    def pulse(self) -> tuple[tuple[int, int], ...]:
        """A cheap sign of the operator's state: it differs once another process made, moved or applied a plan."""
        return self._parts.state.pulse()

    # ── the look before ────────────────────────────────────────────────────────────────────────────────────────────

    def earlier(self) -> EarlierLook | None:
        """The status of an earlier look with today's queue, at once; None for a small workspace or a what-if time.

        It marks no plan, takes no sample and is planned from by nobody: `status` reads what is there now.
        """
        status = None if self._parts.what_if is not None else self._last_status.read()
        if status is None:
            return None
        return EarlierLook(status, self._snoozed.mark(self._parts.queue.entries(), self.real_now()))

    def _keep_status(self, status: Status, notes: int) -> None:
        """Keeps it for the next start. A disk that refuses costs the next console a first picture, no more."""
        if not status.simulated_clock:
            with suppress(OSError):
                self._last_status.keep(status, notes)

    # ── trends ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def trends(self, status: Status | None = None) -> tuple[Trend, ...]:
        """The course of each gauge with its outlook; from the status given, or from a fresh look.

        Under a supposed instant the course is what was known until now, for what a gauge shows then is no sample.
        """
        status = status or self.status()
        gauges = gauges_of(status, self._parts.policy.limits)
        # What a status shows is of its own instant: a later one would lie ahead of all that is told about it.
        now = self.real_now() if status.simulated_clock else status.now
        return trends(gauges, self._trend_log.samples(), now, present=not status.simulated_clock)

    def _sample(self, status: Status) -> None:
        """Takes a sample of the gauges where one is due. A disk that refuses costs a forecast, never the status."""
        if not status.simulated_clock:
            with suppress(MemdeckError):
                self._trend_log.record(gauges_of(status, self._parts.policy.limits), status.now)

    # ── since you last looked ──────────────────────────────────────────────────────────────────────────────────────

    def since_looked(self, *, look: bool = False) -> SinceLook:
        """Lists the agent's changes since the operator last looked; `look`: list the workspace first."""
        with self._busy, _own_errors("comparing with what was last seen"):
            return self._lookout.since(self._fresh(look), self._parts.context.operations)

    def agent_diffs(self, changes: Sequence[AgentChange]) -> tuple[FileDiff, ...]:
        """Compares each of these notes before and after the agent's change, where both texts are still known."""
        with self._busy, _own_errors("comparing with what was last seen"):
            places = places_of(self._fresh(look=False))
            return tuple(self._lookout.diff(change, places) for change in changes)

    def looked(self, shown: Sequence[AgentChange] | None = None, *, look: bool = False) -> datetime:
        """The operator has seen the workspace as it is now; the instant (real time) that is kept.

        `shown`: only these changes were seen. What the agent did meanwhile stays to be seen.
        """
        with self._busy, _own_errors("keeping what was seen"):
            at = self.real_now()
            self._lookout.looked(self._fresh(look), self._parts.context.operations, at, shown)
            return at

    def _took_place(self) -> None:
        """Lets an operation that just ended be part of what was seen, while the bytes it wrote are still there."""
        with self._busy, suppress(OSError, MemdeckError):
            self._lookout.take_in(self._parts.context.operations)

    # ── the queue ──────────────────────────────────────────────────────────────────────────────────────────────────

    def snooze(self, plan_id: str, until: datetime | None) -> QueueEntry:
        """Puts a plan off until then (real time); None wakes it. Its digest and its state stay what they are."""
        with self._busy, _own_errors("putting a plan off"):
            return self._snoozed.snooze(self._parts.queue.entry(plan_id), until, self.real_now())

    def entries_of(self, plan: Plan) -> tuple[PlannedEntry, ...]:
        """The semantic entries of a compaction, with the number by which each is edited or routed."""
        return entry_edit.entries_of(plan)

    def entry_problems(self, text: str) -> tuple[SchemaProblem, ...]:
        """All that keeps a text from being an entry; cheap enough to ask at every key press."""
        return entry_edit.entry_problems(text)

    def route_problem(self, path: str) -> str:
        """Says why an entry cannot be routed to `path`; empty where it can."""
        return entry_edit.route_problem(path)

    def similar_titles(self, text: str) -> tuple[Duplicate, ...]:
        """The titles in semantic memory that are like that of an entry being written."""
        with self._busy:
            return entry_edit.similar_titles(self._fresh(look=False), text)

    def reword(self, plan_id: str, edits: Mapping[int, str] = {}, routes: Mapping[int | str, str] = {}) -> PlanOutcome:
        """A queued compaction again, with entries in the operator's words or in other shards; supersedes the old one.

        A route is given by the number of an entry, or by a pattern of titles for many at once.

        Made for the same instant as the old plan, so that entry numbers stay. `SchemaError` or `Blocked` for a text
        that may not be written, `Stale` where an input changed, `UsageError` for a number or a route that is none.
        """
        with self._busy:
            snapshot = self._fresh(look=True)
            self.queue()
            old, entry = self._parts.queue.load(plan_id), self._parts.queue.entry(plan_id)
            _check_open(entry)
            for number in edits:
                entry_edit.entry_of(old, number)
            outcome = self._again(old, snapshot, edits, entry_edit.numbered_routes(old, routes))
            if outcome.plan is not None:
                entry_edit.check_same_entries(
                    old, outcome.plan, frozenset(entry.number for entry in self.entries_of(old))
                )
            return self._queued(msgspec.structs.replace(outcome, also=()))

    def _again(self, old: Plan, snapshot: Snapshot, edits: Mapping[int, str], routes: dict[int, str]) -> PlanOutcome:
        if old.simulated_clock and self._parts.what_if != old.now:
            raise Stale("the plan was made under a what-if clock", where=old.id, hint=f"--now {old.now.isoformat()}")
        every: dict[int | str, str] = {}
        every.update((entry_edit.earlier(old, entry_edit.ROUTES) | routes).items())
        request = PlanRequest(
            edits={**entry_edit.earlier(old, entry_edit.EDITS), **edits},
            routes=every,
            scheduled=old.facts.get("scheduled") is True,
            at=old.now,
        )
        return find_system(old.system).outcome(self._parts, snapshot, request)

    def similar(self, plan: Plan, change: int | None = None) -> tuple[SideBySide, ...]:
        """Each new entry of a plan (or of one change) beside the entry that it may repeat."""
        return side_by_side(plan, self._parts.root.read, change)

    # ── reports, and what is kept ──────────────────────────────────────────────────────────────────────────────────

    def reports(self) -> tuple[ReportEntry, ...]:
        """Past dry runs, newest first: those that made a plan and those that came to nothing."""
        return dry_runs.listed(self._parts.queue.entries(), self._runs.entries())

    def report(self, report_id: str) -> DryRunReport:
        """One past dry run, by the id of its plan or its own."""
        if report_id.startswith("r-"):
            return self._runs.load(report_id)
        return dry_runs.report_of(self._parts.queue.load(report_id), self._parts.queue.entry(report_id))

    def compare_reports(self, before: str, after: str) -> ReportDiff:
        """Compares one dry run with another; `UsageError` for those of two systems."""
        old, new = self.report(before), self.report(after)
        if old.entry.system != new.entry.system:
            what = f"one is of {old.entry.system}, the other of {new.entry.system}"
            raise UsageError(what, where=f"{before} {after}", hint="compare two of the same system")
        return dry_runs.compare(old, new)

    def _keep_report(self, system: str, outcome: PlanOutcome) -> None:
        """Files the report of a dry run that came to nothing; the queue has those of the others."""
        if outcome.plan is None:
            at = self.real_now()
            with suppress(MemdeckError):
                self._runs.keep(
                    system, outcome, made_at=at, now=self.now(), simulated_clock=self._parts.what_if is not None
                )

    def operation_diffs(self, op_id: str) -> tuple[FileDiff, ...]:
        """Rebuilds what an operation did to each file, in order, from what is kept of it."""
        context = self._parts.context
        operation = context.operations.load(op_id)
        try:
            plan = self._parts.queue.load(operation.plan)
        except MemdeckError:
            plan = None
        return operation_diffs(operation, plan, self._parts.root.read, context.displaced.get)

    def kept(self) -> Retention:
        """Lists what is kept of the past, for how long, and how large it is."""
        context = self._parts.context
        return kept(context.displaced, context.held, context.operations, self.real_now())

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _trend_log(self) -> TrendLog:
        return TrendLog(self._parts.database)

    @cached_property
    def _last_status(self) -> LastStatus:
        return LastStatus(self._parts.state.path / "last-status", self._parts.policy.sha256)

    @cached_property
    def _snoozed(self) -> Snoozed:
        return Snoozed(self._parts.database)

    @cached_property
    def _runs(self) -> RunsWithoutPlan:
        return RunsWithoutPlan(self._parts.database)

    @cached_property
    def _lookout(self) -> AgentChangeLog:
        store = SeenStore(self._parts.state.path / "seen.db")
        return AgentChangeLog(store, self._parts.root.read, self._parts.context.displaced.get)

    # What the other half gives.

    @abstractmethod
    def status(self) -> Status: ...

    @abstractmethod
    def queue(self) -> tuple[QueueEntry, ...]: ...

    @abstractmethod
    def _fresh(self, look: bool) -> Snapshot: ...

    @abstractmethod
    def _queued(self, outcome: PlanOutcome) -> PlanOutcome: ...


def _check_open(entry: QueueEntry) -> None:
    if entry.state is PlanState.STALE:
        raise Stale(entry.state_reason or "it is stale", where=entry.id, hint=f"memdeck plan {entry.system}")
    if entry.state not in OPEN_STATES:
        raise UsageError(f"is {entry.state}: it cannot be edited", where=entry.id, hint=f"memdeck plan {entry.system}")


@contextmanager
def _own_errors(doing: str) -> Iterator[None]:
    """Has what the disk refuses come out as an error of ours."""
    try:
        yield
    except OSError as error:
        raise MemdeckError(f"{doing} failed: {error.strerror or error}", where=str(error.filename or "")) from error
