"""The one door for front ends: every question the console or a command asks, and every order it gives."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from engine.history.repository import NoRepository
from engine.plans import damage as checking
from engine.plans.apply import entry as applying
from engine.plans.apply import recovery as recovering
from engine.plans.apply import undo as undoing
from engine.plans.approval import Approval
from engine.plans.diff import FileDiff, change_diffs, reversal_diffs, split_lines
from engine.plans.obstacle import plan_obstacle
from engine.plans.operation import Operation
from engine.plans.plan import Plan, PlanState, QueueEntry
from engine.plans.policy.automatic import may_run_by_itself
from engine.plans.policy.values import PolicyValue
from engine.plans.policy.workspace_config import FINDING_ID
from engine.plans.records.chain import AuditRecord
from engine.plans.reversal import Reversal
from engine.plans.status import Degraded, PlanOutcome, Status
from engine.schedule.job_runs import JobRun, run_job
from engine.schedule.jobs import find_job, jobs, missed
from engine.services.planners import SYSTEMS, PlanRequest, find_system, tree_survey, with_notes
from engine.services.review import Review
from engine.services.search import SearchService
from engine.services.status import FOUND_BY_CHECK, KnownTree, degraded, overview
from engine.services.wiring import Wiring, open_parts
from engine.state.health import rebuild, state_findings
from engine.state.lock import hold
from engine.text.secrets.detector import redact
from engine.tree.cycle.qmd import Qmd
from engine.tree.survey.findings import tree_findings
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.paths import FileMissing
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan, Tick

if TYPE_CHECKING:
    from engine.services.state_transfer import Transferred
    from engine.services.topics import TopicService
    from engine.tree.browse.browser import Browser
    from engine.tree.browse.find import TreeHits
    from engine.tree.browse.previous_version import Compared


CRON = "topics-cron"
"""Under which name the last look at the topics' schedules is remembered."""


def utc_now() -> datetime:
    """Real time: the one clock that the front ends hand to the engine."""
    return datetime.now(UTC)


class Engine(SearchService, Review):
    """One open workspace. Every method may block and may be called from any thread; none of them approves."""

    def __init__(self, parts: Wiring, env: Mapping[str, str] = {}) -> None:
        self._parts = parts
        self._env = env
        self._snapshot: Snapshot | None = None
        self._busy = threading.RLock()
        qmd = parts.policy.qmd
        self._qmd = Qmd(Path(parts.root.identity.path), qmd.run, qmd.timeout_seconds, env=env or os.environ)
        self._opened_for = parts.what_if
        self._known_tree = KnownTree()
        self._watchers: TopicService | None = None

    @classmethod
    def open(
        cls,
        workspace: Path,
        *,
        policy_file: Path | None = None,
        now: datetime | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc_now,
        read_only: bool = False,
    ) -> Self:
        """Opens a workspace. `now` is a what-if clock, `clock` the real one. Reads no note yet.

        `read_only`: what the operator marks, saves or puts off is refused, and nothing of it is remembered.
        """
        environment = os.environ if env is None else env
        parts = open_parts(
            workspace, policy_file=policy_file, what_if=now, env=environment, real_clock=clock, read_only=read_only
        )
        return cls(parts, environment)

    def close(self) -> None:
        """Stores what was read for the next start, and closes the folder."""
        self._qmd.close()
        if self._search is not None:
            self._search.close()
        if self._watchers is not None:
            self._watchers.close()
        self._lookout.store.close()
        self._parts.database.close()
        self._parts.scanner.close()
        self._parts.root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ── where it stands ────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def workspace(self) -> Path:
        """The workspace's real path."""
        return Path(self._parts.root.identity.path)

    @property
    def simulated(self) -> bool:
        """Tells whether a what-if clock is in use."""
        return self._parts.what_if is not None

    def status(self, tick: Tick | None = None) -> Status:
        """Looks at the whole workspace again, opening only what changed."""
        with self._busy:
            snapshot = self._parts.scanner.scan(self.now(), tick=tick)
            status = self._overview(snapshot)
            self._keep_status(status, len(snapshot.files))
            return status

    def changed(self, paths: Sequence[str]) -> Status:
        """The status after looking at these paths alone, as a watcher reports them.

        The figures of a large tree follow later, with the next call that names no path.
        """
        with self._busy:
            return self._overview(self._parts.scanner.refresh(paths, self.now()), hurried=bool(paths))

    def watch(self, stop: threading.Event) -> Iterator[tuple[str, ...]]:
        """Batches of changed paths, until `stop` is set."""
        return self._parts.scanner.watcher().batches(stop)

    def source_lines(self, span: LineSpan) -> tuple[str, ...]:
        """The raw text of the lines a summary came from; `MemdeckError` where they cannot be read any more."""
        text = self._parts.root.read(span.path).decode("utf-8", "replace")
        return tuple(split_lines(text)[span.start - 1 : span.end])

    # ── topics ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def watchers(self) -> "TopicService":
        """Topics: what listens to sessions, what was decided, and what the operator said of it."""
        with self._busy:
            if self._watchers is None:
                from engine.services.matchers import MatcherFactory
                from engine.services.topics import TopicService

                self._watchers = TopicService(self._parts, MatcherFactory(self._parts, self._env).matcher)
            return self._watchers

    def last_cron(self, default: datetime) -> datetime:
        """Gives the instant up to which `topics event cron` looked the last time."""
        return self._parts.last_runs.all().get(CRON, default)

    def keep_cron(self, now: datetime) -> None:
        """Remembers until when it looked; nothing for a supposed instant."""
        if not self._supposing:
            self._parts.last_runs.record(CRON, now)

    # ── the tree ───────────────────────────────────────────────────────────────────────────────────────────────────

    def tree(self) -> "Browser":
        """The tree as the last look at the workspace found it, to be walked node by node."""
        from engine.tree.browse.browser import Browser

        with self._busy:
            if self._snapshot is None:
                self._snapshot = self._parts.scanner.scan(self.now())
            return Browser(tree_survey(self._parts, self._snapshot))

    def tree_find(self, text: str, tick: Tick | None = None) -> "TreeHits":
        """Finds the lines of ROOT, months, weeks, days and raw logs that hold a text."""
        from engine.tree.browse.find import find

        return find(self.tree(), text, tick)

    def tree_compared(self, path: str) -> "Compared | None":
        """A node against what it held before, as operations or git kept it; None where nobody did."""
        from engine.tree.browse.previous_version import compare, previous

        try:
            present = self._parts.root.read(path)
        except FileMissing:
            present = None
        repository = self._parts.git.repository()
        found = previous(
            path,
            present,
            self._parts.context.operations,
            self._parts.context.displaced.get,
            None if isinstance(repository, NoRepository) else repository,
        )
        return compare(path, present, found) if found is not None else None

    # ── plans ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def systems(self) -> tuple[tuple[str, str], ...]:
        """Lists what can be planned: name, and what it does."""
        return tuple((system.name, system.title) for system in SYSTEMS.values())

    def plan(
        self,
        system: str,
        *,
        scheduled: bool = False,
        routes: Mapping[int | str, str] = {},
        drain: bool = False,
        reopen: Sequence[str] = (),
        take: Sequence[str] = (),
        take_flagged: bool = False,
        tick: Tick | None = None,
    ) -> PlanOutcome:
        """A dry run: puts what should change into the queue, or says why there is nothing to do."""
        request = PlanRequest(
            scheduled=scheduled,
            routes=routes,
            drain=drain,
            reopen=reopen,
            take=take,
            take_flagged=take_flagged,
            tick=tick,
        )
        with self._busy:
            outcome = self._planned(system, request)
            if scheduled:
                self._ran(find_system(system).job)
            return outcome

    def _planned(self, system: str, request: PlanRequest) -> PlanOutcome:
        planner = find_system(system)
        self._snapshot = self._parts.scanner.scan(self.now(), tick=request.tick)
        outcome = self._writable(planner.outcome(self._parts, self._snapshot, request))
        self._keep_report(system, outcome)
        return self._queued(outcome)

    def _ran(self, job: str) -> None:
        """A job was run, and is not due until its next occurrence. For a supposed instant nothing was."""
        if not self._supposing:
            self._parts.last_runs.record(job, self.now())

    def queue(self) -> tuple[QueueEntry, ...]:
        """Every plan's place, with those marked that went stale or whose approval expired."""
        with self._busy:
            self._refresh_queue()
            return self._snoozed.mark(self._parts.queue.entries(), self.real_now())

    def load_plan(self, plan_id: str) -> Plan:
        """A plan by its id, or by the end of it where only one ends so."""
        return self._parts.queue.load(plan_id)

    def diffs(self, plan: Plan) -> tuple[FileDiff, ...]:
        """Compares each file of the plan with its change, in order."""
        return change_diffs(plan, self._parts.root.read)

    def reject(self, plan_id: str, reason: str) -> QueueEntry:
        """Takes a plan out of the queue for good, with the operator's reason."""
        reason = redact(reason)
        entry = self._parts.queue.set_state(plan_id, PlanState.REJECTED, reason, self.real_now())
        self._parts.audit.append("reject", self.real_now(), {"plan": entry.id, "reason": reason})
        return entry

    def run_job(self, job_id: str, tick: Tick | None = None) -> JobRun:
        """Makes the dry runs of a scheduled job; what this version lacks is skipped, and said (decision B16).

        It stays due where one of them failed: the error is in what is given back.
        """
        request = PlanRequest(scheduled=True, tick=tick)
        with self._busy:
            job = find_job(job_id, jobs(self._parts.policy.zone))
            run = run_job(job, lambda system: self._planned(system, request), SYSTEMS)
            if run.error is None:
                self._ran(job.id)
            return run

    def run_due(self, tick: Tick | None = None) -> tuple[PlanOutcome, ...]:
        """Runs the jobs that fell due; each missed job runs once (decision G5). None for a supposed instant."""
        if self._supposing:
            return ()
        last = self._parts.last_runs.all()
        due = [job for job in jobs(self._parts.policy.zone) if missed(job, last.get(job.id), self.now())]
        runs = [self.run_job(job.id, tick) for job in due]
        for error in (run.error for run in runs if run.error is not None):
            raise error
        return tuple(outcome for run in runs for outcome in run.outcomes)

    # ── changes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, plan: Plan, approval: Approval, tick: Tick | None = None) -> Operation:
        """Carries out what a person approved."""
        operation = applying.apply(self._parts.context, plan, approval, tick=tick)
        self._took_place()
        self._qmd.refresh()
        return operation

    def operations(self, limit: int | None = None) -> tuple[Operation, ...]:
        """The operations whose records can be read, newest first, at most `limit`; `check` names the others."""
        return self._parts.context.operations.newest(limit)

    def operation_count(self) -> int:
        """Counts the operations, readable or not."""
        return len(self._parts.context.operations.outlines())

    def reversal(self, op_id: str | None = None) -> Reversal:
        """Computes what taking back an operation would do; None: the last one that stands."""
        return undoing.reversal(self._parts.context, op_id)

    def reversal_diffs(self, reversal: Reversal) -> tuple[FileDiff, ...]:
        """Compares each file with the effect that a reversal has on it."""
        return reversal_diffs(reversal, self._parts.root.read, self._parts.context.displaced.get)

    def undo(self, reversal: Reversal, approval: Approval, tick: Tick | None = None) -> Operation:
        """Takes an operation back, as a person approved."""
        operation = undoing.undo(self._parts.context, reversal, approval, tick=tick)
        self._took_place()
        self._qmd.refresh()
        return operation

    def redo(self, op_id: str | None = None) -> Plan:
        """Puts an undone operation into the queue again, as a new plan of its tier (decision G20)."""
        return self._filed(undoing.redo(self._parts.context, op_id))

    def recover(self, tick: Tick | None = None) -> tuple[Finding, ...]:
        """Finishes or takes back what a crash left, and makes the commits that are owed."""
        found = recovering.recover(self._parts.context, tick)
        context = self._parts.context
        with self._busy, hold(context.state, now=context.clock(), purpose="recovering", wait=context.wait):
            self._parts.database.close()
            return (*found, *rebuild(context.state.path, self._known_runs()))

    def _known_runs(self) -> dict[str, datetime]:
        """For each job the last dry run of it that made a plan: it ran then, or later."""
        made = [(entry.system, entry.made_at) for entry in self._parts.queue.entries() if not entry.simulated_clock]
        steps = {job.id: job.steps for job in jobs(self._parts.policy.zone)}
        runs = {job: [at for system, at in made if system in systems] for job, systems in steps.items()}
        return {job: max(found).astimezone(UTC) for job, found in runs.items() if found}

    def export_state(self, file: Path, tick: Tick | None = None) -> "Transferred":
        """Writes the operator's whole state of this workspace into one file."""
        from engine.services.state_transfer import export_state

        with self._busy:
            return export_state(self._parts, file, tick)

    def import_state(self, file: Path, *, force: bool = False, tick: Tick | None = None) -> "Transferred":
        """Puts an exported state in the place of this workspace's. Close this afterwards, and open it again."""
        from engine.services.state_transfer import import_state

        with self._busy:
            return import_state(self._parts, file, force=force, tick=tick)

    # ── records ────────────────────────────────────────────────────────────────────────────────────────────────────

    def audit(self, limit: int | None = None) -> tuple[AuditRecord, ...]:
        """The audit log's last records, oldest first."""
        return self._parts.audit.records(limit)

    def verify(self) -> tuple[Finding, ...]:
        """Every break in the audit log's chain, checked against the heads kept elsewhere."""
        operations, damaged = self._parts.context.operations.readable()
        heads = [operation.audit_head for operation in operations if operation.audit_head is not None]
        return (*damaged, *self._parts.audit.verify([*heads, *self._parts.git.anchors()]))

    def check(self, *, deep: bool = False, tick: Tick | None = None) -> tuple[Finding, ...]:
        """Damage of the workspace's records, then what is amiss in the tree as notices; each with its fix."""
        found = checking.check(self._parts.context, deep=deep, anchors=self._parts.git.anchors(), tick=tick)
        found += state_findings(self._parts.state.path)
        tree = tree_findings(tree_survey(self._parts, self._fresh(look=True, tick=tick)))
        return (*found, *self._parts.safety_findings(), *tree)

    def policy_values(self) -> tuple[PolicyValue, ...]:
        """Each key of the policy in force, and where it came from."""
        return self._parts.policy_values

    def doctor(self) -> tuple[Finding, ...]:
        """Lists what is missing or degraded here, each with its fix."""
        found = [
            Finding(kind=FindingKind.NOTICE, id=item.id, where="", what=item.what, fix=item.fix)
            for item in degraded(self._parts)
            if item.id not in (*FOUND_BY_CHECK, FINDING_ID)  # which the check tells
        ]
        return (*found, *self.check())

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _overview(self, snapshot: Snapshot, *, hurried: bool = False) -> Status:
        self._snapshot = snapshot
        self._refresh_queue()
        tree = self._known_tree.figures(self._parts, snapshot, hurried=hurried)
        status = overview(self._parts, snapshot, self._parts.queue.entries(), tree)
        if self._qmd.problem:
            banner = Degraded(
                id="qmd", what=self._qmd.problem, fix="run qmd by hand, or set qmd.run: off in the policy"
            )
            status = msgspec.structs.replace(status, degraded=(*status.degraded, banner))
        self._sample(status)
        return status

    def _writable(self, outcome: PlanOutcome) -> PlanOutcome:
        """The outcome without plans that could never be applied; the first obstacle is the reason."""
        root = self._parts.root
        reason = plan_obstacle(root, outcome.plan) if outcome.plan is not None else ""
        others = {plan_obstacle(root, plan): None for plan in outcome.also if plan_obstacle(root, plan)}
        also = tuple(plan for plan in outcome.also if not plan_obstacle(root, plan))
        if reason:
            return msgspec.structs.replace(outcome, plan=None, also=also, reason_no_action=reason, report="")
        if others:
            report = f"{outcome.report.rstrip()}\nNot queued: {'; '.join(others)}\n"
            return msgspec.structs.replace(outcome, also=also, report=report)
        return outcome

    def _queued(self, outcome: PlanOutcome) -> PlanOutcome:
        outcome = self._writable(outcome)
        if outcome.plan is None:
            return msgspec.structs.replace(outcome, also=tuple(self._put(plan) for plan in outcome.also))
        also = tuple(self._put(plan) for plan in outcome.also)
        plan = self._put(msgspec.structs.replace(outcome.plan, also=tuple(other.id for other in also)))
        return msgspec.structs.replace(outcome, plan=plan, also=also)

    def _put(self, plan: Plan) -> Plan:
        """Queues a plan; one of tier A runs by itself where the operator's policy says so."""
        queued = self._filed(plan)
        if may_run_by_itself(queued, self._parts.policy):
            applying.apply(self._parts.context, queued, None)
        return queued

    def _filed(self, plan: Plan) -> Plan:
        """Puts a plan into the queue with its flags and trust labels; none comes there another way."""
        return self._parts.queue.put(with_notes(self._parts, self._snapshot, plan), self.real_now())

    def _refresh_queue(self) -> None:
        self._parts.queue.mark_stale(self._sha256_of, self._parts.policy.sha256, self.real_now())
        self._parts.queue.expire(self.real_now())

    def _sha256_of(self, path: str) -> str | None:
        """The present hash of a plan's input: from the snapshot where it is fresh, else from the file."""
        if self._snapshot is not None and path in self._snapshot.files:
            return self._snapshot.files[path].sha256
        return undoing.present_sha256(self._parts.context, path)
