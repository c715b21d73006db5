"""An engine over hand-made values: what the console shows is told here, without a workspace."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import msgspec

from engine.compactor.notes.left_out import LeftOutLine
from engine.compactor.semantic.duplicates import Duplicate, TitleIndex
from engine.compactor.semantic.entry import KnownTitle, SchemaProblem
from engine.compactor.semantic.entry_edit import PlannedEntry, entry_problems, route_problem
from engine.compactor.semantic.routes import routed
from engine.compactor.semantic.side_by_side import SideBySide
from engine.errors import Cancelled, MemdeckError, Refused, Stale, UsageError
from engine.models.cost_ledger import LedgerLine
from engine.models.cost_report import CostCurves, CostKey, cost_curves, forecast
from engine.models.estimate import CostEstimate
from engine.models.price import Price
from engine.monitoring.agent_changes import AgentChange, SinceLook
from engine.monitoring.chart import GaugeChart, GaugeMember, chart
from engine.monitoring.comments import DiffComment
from engine.monitoring.digest import DigestSources, WeeklyDigest, weekly_digest
from engine.monitoring.dry_runs import DryRunReport, ReportDiff, ReportEntry, compare, listed, report_of
from engine.monitoring.learnt import Quote
from engine.monitoring.retention import Retention
from engine.monitoring.trends import Trend
from engine.plans.approval import Approval
from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.operation import Operation, OperationKind, OperationState, Write
from engine.plans.plan import (
    Append,
    Plan,
    PlanState,
    QueueEntry,
    RiskTier,
)
from engine.plans.planning import PlanRequest
from engine.plans.policy.values import Policy, PolicyValue
from engine.plans.records.chain import AuditRecord
from engine.plans.reversal import Reversal
from engine.plans.sizes import PlanSizes, TierSize, file_sizes
from engine.plans.status import (
    EarlierLook,
    PlanOutcome,
    Status,
)
from engine.services.consolidations import ConsolidationItem
from engine.services.line_life import LineLife, line_life
from engine.text.tokens import BytesCounter
from engine.tree.browse.browser import Browser
from engine.tree.browse.find import TreeHits, find
from engine.tree.browse.previous_version import Compared
from engine.tree.survey.records import TreeRecords
from engine.tree.survey.survey import Survey
from engine.workspace.findings import Finding
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import LineSpan, Progress, Tick
from tests.tui.fake_context import FakeContext
from tests.tui.fake_finder import FakeFinder
from tests.tui.fake_watchers import FakeWatchers
from tests.values import IDENTITY, NOW, a_status, append_plan, compaction, diff_of, entry_of, tree_plan


class FakeEngine(FakeFinder, FakeContext):
    """Answers at once. What was asked of it is kept in `calls`; `hold` makes long work wait until it is set."""

    def __init__(self, plans: Sequence[Plan] = (), status: Status | None = None) -> None:
        super().__init__()
        self.plans = {plan.id: plan for plan in plans}
        self.entries: dict[str, QueueEntry] = {plan.id: entry_of(plan) for plan in plans}
        self.current = status or a_status()
        self.before: Status | None = None
        self.done: list[Operation] = []
        self.approvals: list[Approval] = []
        self.calls: list[str] = []
        self.hold: Event | None = None
        self.fails: MemdeckError | None = None
        self.next_plan: Plan | None = None
        self.tier_sizes: tuple[TierSize, ...] = ()
        """What a plan's tiers hold."""
        self.changes_seen = Event()
        self.batches: list[tuple[str, ...]] = []
        self.courses: tuple[Trend, ...] = ()
        self.members: tuple[GaugeMember, ...] = ()
        self.agent = SinceLook(looked_at=None)
        self.consolidations: tuple[ConsolidationItem, ...] = ()
        self.quotes: tuple[Quote, ...] = ()
        self.watchers = FakeWatchers()
        self.paid: tuple[LedgerLine, ...] = ()
        self.price = CostEstimate(calls=0, input=0, output=0, usd=0.0, cap=0.5)

    workspace = Path("/home/ana/agents/silas")
    simulated = False

    def now(self) -> datetime:
        return NOW

    def real_now(self) -> datetime:
        return datetime.now(UTC)

    def earlier(self) -> EarlierLook | None:
        return None if self.before is None else EarlierLook(self.before, self.queue())

    def status(self, tick: Tick | None = None) -> Status:
        self.calls.append("status")
        return self.current

    def changed(self, paths: Sequence[str]) -> Status:
        self.calls.append("changed")
        return self.current

    def watch(self, stop: Event) -> Iterator[tuple[str, ...]]:
        while not stop.wait(0.02):
            while self.batches:
                yield self.batches.pop(0)

    def pulse(self) -> tuple[tuple[int, int], ...]:
        return ((len(self.entries), 0),)

    def systems(self, *, named: bool = False) -> tuple[tuple[str, str], ...]:
        return (("compact", "working → episodic → semantic, originals to the archive"),)

    def estimate(self, system: str, request: PlanRequest = PlanRequest()) -> CostEstimate:  # noqa: B008
        return self.price

    def plan(self, system: str, request: PlanRequest = PlanRequest()) -> PlanOutcome:  # noqa: B008
        self.calls.append(f"plan {system}")
        self._work("summarising", request.tick)
        if self.next_plan is None:
            return PlanOutcome(plan=None, reason_no_action="no threshold is crossed, nothing is eligible")
        self.add(self.next_plan)
        return PlanOutcome(plan=self.next_plan)

    def add(self, plan: Plan) -> None:
        self.plans[plan.id] = plan
        self.entries[plan.id] = entry_of(plan)

    def _work(self, stage: str, tick: Tick | None) -> None:
        for step in range(1, 5):
            if tick is not None:
                tick(Progress(stage, step * 30, 120))
        patience = 3000
        while self.hold is not None and not self.hold.wait(0.01) and (patience := patience - 1):
            if tick is not None:
                tick(Progress(stage, 60, 120))
        if self.fails is not None:
            raise self.fails

    def tree(self) -> Browser:
        """A tree without logs or nodes."""
        snapshot = snapshot_of({}, NOW, BytesCounter(), workspace=IDENTITY)
        return Browser(Survey(snapshot, TreeRecords(), NOW.date()))

    def tree_find(self, text: str, tick: Tick | None = None) -> TreeHits:
        return find(self.tree(), text, tick)

    def tree_life(self, path: str, line: int) -> LineLife:
        return line_life(self.tree(), path, line)

    def tree_compared(self, path: str) -> Compared | None:
        return None

    def queue(self) -> tuple[QueueEntry, ...]:
        return tuple(self.entries.values())

    def load_plan(self, plan_id: str) -> Plan:
        self.calls.append(f"load {plan_id}")
        return self.plans[plan_id]

    def diffs(self, plan: Plan) -> tuple[FileDiff, ...]:
        return tuple(diff_of(change) for change in plan.changes)

    def sizes(self, plan: Plan, diffs: Sequence[FileDiff]) -> PlanSizes:
        return PlanSizes(file_sizes(plan, diffs, BytesCounter(), Policy().limits), self.tier_sizes)

    def apply(self, plan: Plan, approval: Approval, tick: Tick | None = None) -> Operation:
        self.calls.append(f"apply {plan.id}")
        self.approvals.append(approval)
        if self.entries[plan.id].state is PlanState.STALE:
            raise Stale("changed after the plan was made", where=plan.changes[0].path, hint="make the dry run again")
        self._work("writing", tick)
        operation = self._operation(plan, approval, OperationKind.APPLY)
        self.set_state(plan.id, PlanState.APPLIED, operation=operation.id)
        return operation

    def _operation(self, plan: Plan, approval: Approval, kind: OperationKind) -> Operation:
        effects = tuple(Write(change.path, None, "0" * 64) for change in plan.changes if change.n in approval.numbers)
        operation = Operation(
            id=f"o-20260315-{len(self.done) + 1:04}",
            kind=kind,
            plan=plan.id,
            system=plan.system,
            trigger=plan.trigger,
            risk_tier=plan.risk_tier,
            state=OperationState.DONE,
            started_at=NOW,
            finished_at=NOW,
            simulated_clock=False,
            numbers=approval.numbers,
            effects=effects,
            done=tuple(range(len(effects))),
            approval=approval,
            commit="1a2b3c4d5e6f",
        )
        self.done.append(operation)
        return operation

    def set_state(self, plan_id: str, state: PlanState, reason: str = "", operation: str | None = None) -> None:
        self.entries[plan_id] = msgspec.structs.replace(
            self.entries[plan_id], state=state, state_reason=reason, operation=operation, state_since=NOW
        )

    def run_due(self, tick: Tick | None = None) -> tuple[PlanOutcome, ...]:
        self.calls.append("run_due")
        return ()

    def commit_due(self) -> tuple[str, ...]:
        self.calls.append("commit_due")
        return ()

    def reject(self, plan_id: str, reason: str) -> QueueEntry:
        self.calls.append(f"reject {plan_id}")
        self.set_state(plan_id, PlanState.REJECTED, reason)
        return self.entries[plan_id]

    def snooze(self, plan_id: str, until: datetime | None) -> QueueEntry:
        self.calls.append(f"snooze {plan_id}")
        self.entries[plan_id] = msgspec.structs.replace(self.entries[plan_id], snoozed_until=until)
        return self.entries[plan_id]

    def comments_of(self, plan_id: str) -> tuple[DiffComment, ...]:
        return ()

    def entries_of(self, plan: Plan) -> tuple[PlannedEntry, ...]:
        appends = [change for change in plan.changes if isinstance(change, Append)]
        return tuple(
            PlannedEntry(
                number=number,
                change=change.n,
                title="Drain queues before a migration",
                source="memory/episodic/2026-02-01-migration.md",
                shard=change.path,
                text=change.content.strip(),
                waits=None,
            )
            for number, change in enumerate(appends, 1)
        )

    def entry_problems(self, text: str) -> tuple[SchemaProblem, ...]:
        return entry_problems(text)

    def route_problem(self, path: str) -> str:
        return route_problem(path)

    def similar_titles(self, text: str) -> tuple[Duplicate, ...]:
        known = KnownTitle(title="Drain queues before any migration", path="memory/semantic/openclaw.md", line=34)
        return TitleIndex([known]).duplicates(text.partition("Title:")[2].partition("\n")[0].strip())

    def left_out(self, plan: Plan, change: int | None = None) -> tuple[LeftOutLine, ...]:
        """Two lines of one note."""
        return (
            LeftOutLine(
                path="memory/working/a.md", line=3, reason="routine heartbeat line", text="08:00 heartbeat: ok"
            ),
            LeftOutLine(path="memory/working/a.md", line=9, reason="progress line", text="Processed 3/7 files"),
        )

    def similar(self, plan: Plan, change: int | None = None) -> tuple[SideBySide, ...]:
        """Every append repeats the same entry."""
        return tuple(
            SideBySide(
                change=one.n,
                title="Drain queues before a migration",
                text=one.content.strip(),
                other_title="Drain queues before any migration",
                other_path="memory/semantic/openclaw.md",
                other_line=34,
                other_text="Title: Drain queues before any migration\nContext: March.\nDurable Insight: Drain first.",
                percent=93,
            )
            for one in plan.changes
            if isinstance(one, Append) and change in (None, one.n)
        )

    def reword(self, plan_id: str, edits: Mapping[int, str] = {}, routes: Mapping[int | str, str] = {}) -> PlanOutcome:
        """The plan again under the next number, its first append in other words or another shard."""
        self.calls.append(f"reword {plan_id} {dict(edits)} {dict(routes)}")
        if self.fails is not None:
            raise self.fails
        old = self.plans[plan_id]
        paths = routed(routes, {entry.number: entry.title for entry in self.entries_of(old)})
        changes = tuple(
            msgspec.structs.replace(
                change, content=f"\n{edits.get(change.n, change.content)}\n", path=paths.get(change.n, change.path)
            )
            if isinstance(change, Append)
            else change
            for change in old.changes
        )
        made = msgspec.structs.replace(old, id=f"p-20260315-{len(self.plans) + 100:04}", changes=changes)
        self.add(made)
        self.set_state(plan_id, PlanState.SUPERSEDED, f"{made.id} takes its place")
        return PlanOutcome(plan=made)

    def reports(self) -> tuple[ReportEntry, ...]:
        return listed(self.entries.values(), ())

    def digest_since(self, text: str = "last") -> datetime:
        return NOW - timedelta(days=7)

    def digest_of(self, since: datetime) -> WeeklyDigest:
        return weekly_digest(
            DigestSources(
                workspace=str(self.workspace),
                since=since,
                until=NOW,
                simulated_clock=False,
                notes=2,
                learnt=self.quotes,
                entries=tuple(self.entries.values()),
                operations=self.done,
                falling=(),
                trends=self.courses,
                ledger=(),
            )
        )

    def digest_read(self) -> datetime:
        self.calls.append("digest read")
        return NOW

    def report(self, report_id: str) -> DryRunReport:
        return report_of(self.plans[report_id], self.entries[report_id])

    def compare_reports(self, before: str, after: str) -> ReportDiff:
        old, new = self.report(before), self.report(after)
        if old.entry.system != new.entry.system:
            raise UsageError(
                "they are of two systems", where=f"{before} {after}", hint="compare two of the same system"
            )
        return compare(old, new)

    def operations(self, limit: int | None = None) -> tuple[Operation, ...]:
        return tuple(reversed(self.done))[:limit]

    def operation_count(self) -> int:
        return len(self.done)

    def reversal(self, op_id: str | None = None, tick: Tick | None = None) -> Reversal:
        applied = [operation for operation in self.done if operation.state is OperationState.DONE]
        if not applied:
            raise Refused("there is no operation to take back")
        last = applied[-1]
        return Reversal(
            operation=last.id,
            plan=last.plan,
            system=last.system,
            risk_tier=min(last.risk_tier, RiskTier.B),
            effects=last.effects,
        )

    def reversal_diffs(self, reversal: Reversal) -> tuple[FileDiff, ...]:
        rows = (DiffRow(RowKind.REMOVED, 1, None, "# Compiled"), DiffRow(RowKind.REMOVED, 2, None, "## Summary"))
        return tuple(FileDiff(path=effect.path, to=None, rows=rows, added=0, removed=2) for effect in reversal.effects)

    def undo(self, reversal: Reversal, approval: Approval, tick: object = None) -> Operation:
        self.calls.append(f"undo {reversal.operation}")
        self.approvals.append(approval)
        self.set_state(reversal.plan, PlanState.UNDONE)
        undone = self._operation(self.plans[reversal.plan], approval, OperationKind.UNDO)
        index = next(i for i, operation in enumerate(self.done) if operation.id == reversal.operation)
        self.done[index] = msgspec.structs.replace(self.done[index], state=OperationState.UNDONE, undone_by=undone.id)
        return undone

    def redo(self, op_id: str | None = None) -> Plan:
        raise Refused("there is nothing to do again")

    def operation_diffs(self, op_id: str) -> tuple[FileDiff, ...]:
        operation = next(one for one in self.done if one.id == op_id)
        rows = (DiffRow(RowKind.ADDED, None, 1, "# Compiled"), DiffRow(RowKind.ADDED, None, 2, "## Summary"))
        paths = [operation.effects[index].path for index in operation.done]
        return tuple(FileDiff(path=path, to=None, rows=rows, added=2, removed=0) for path in paths)

    def audit(self, limit: int | None = None) -> tuple[AuditRecord, ...]:
        return ()

    def verify(self) -> tuple[Finding, ...]:
        return ()

    def kept(self) -> Retention:
        return Retention(displaced=(), displaced_bytes=0, held=(), held_bytes=0)

    def suppose(self, at: datetime | None) -> None:
        self.calls.append(f"suppose {at.isoformat() if at else None}")
        self.current = msgspec.structs.replace(self.current, now=at or NOW, simulated_clock=at is not None)

    def trends(self, status: Status | None = None) -> tuple[Trend, ...]:
        return self.courses

    def chart(self, gauge: str, days: int, status: Status | None = None) -> GaugeChart:
        trend = next(trend for trend in self.courses if trend.id == gauge)
        return chart(trend, days, NOW, self.members)

    def cost_curves(self, key: CostKey, days: int) -> CostCurves:
        months = forecast(Price(1.0, 5.0), Price(1.0, 5.0), Price(0.02, 0.0))
        return cost_curves(self.paid, key, UTC, NOW.date(), days, months)

    def since_looked(self, *, look: bool = False) -> SinceLook:
        return self.agent

    def open_consolidations(self) -> tuple[ConsolidationItem, ...]:
        return self.consolidations

    def agent_diffs(self, changes: Sequence[AgentChange]) -> tuple[FileDiff, ...]:
        rows = (DiffRow(RowKind.REMOVED, 1, None, "- the old line"), DiffRow(RowKind.ADDED, None, 1, "- the new line"))
        return tuple(FileDiff(path=change.path, to=None, rows=rows, added=1, removed=1) for change in changes)

    def looked(self, shown: Sequence[AgentChange] | None = None, *, look: bool = False) -> datetime:
        self.calls.append(f"looked {'all' if shown is None else len(shown)}")
        self.agent = SinceLook(looked_at=NOW)
        return NOW

    def policy_values(self) -> tuple[PolicyValue, ...]:
        return (PolicyValue(key="limits.semantic.soft", value=900, origin="default"),)

    def source_lines(self, span: LineSpan) -> tuple[str, ...]:
        if span.path in self.notes:
            return tuple(self.notes[span.path].split("\n"))
        return tuple(f"source line {number}" for number in range(span.start, min(span.end, 999) + 1))

    def note(self, path: str) -> tuple[str, ...]:
        return self.source_lines(LineSpan(path, 1, 1 << 30))

    def close(self) -> None:
        self.calls.append("close")

    def cancelled(self) -> bool:
        return isinstance(self.fails, Cancelled)


def demo_engine() -> FakeEngine:
    """Three plans, one of each tier."""
    return FakeEngine([tree_plan(3), append_plan(2), compaction(1)])
