"""Plans for the front ends: dry runs, the queue, and applying approved plans."""

from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Stale
from engine.models.model_task import CostEstimate, ModelQuestion, estimate
from engine.plans.diff import FileDiff, change_diffs, split_lines
from engine.plans.memory_integrity import flushed_turns
from engine.plans.operation import Approval, Operation
from engine.plans.plan import Plan, PlanState, QueueEntry
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.plans.system_request import System
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.text.canonical_json import sha256_hex
from engine.text.document import is_locked, shown_text
from engine.text.secrets.detector import redact
from engine.workspace.paths import FileMissing
from engine.workspace.values import LineSpan, Tick

if TYPE_CHECKING:
    from engine.monitoring.dry_runs import RunsWithoutPlan
    from engine.plans.sizes import PlanSizes
    from engine.services.engine import Engine

_ALL = 1 << 40  # more lines than a file has
_COUNTED = 256  # texts of a plan whose tokens are counted once, however often marks change what a yes is about


class PlanService:
    """Makes, shows, rejects and applies plans; approves none."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue, runs: "RunsWithoutPlan", services: "Engine") -> None:
        self._opened, self._queue, self._runs, self._services = opened, queue, runs, services

    def systems(self, *, named: bool = False) -> tuple[tuple[str, str], ...]:
        """Gives name and title of the systems that need no arguments; `named`: those that take `--take` too."""
        from engine.services.systems import SYSTEMS

        usable = (one for one in SYSTEMS.values() if not one.usage or (named and one.usage.startswith("memdeck plan ")))
        return tuple((system.name, system.title) for system in usable)

    def make(self, system: str, request: PlanRequest = PlanRequest()) -> PlanOutcome:  # noqa: B008  (it is frozen)
        """Makes a dry run: queues what should change, or says why nothing should."""
        from engine.services.systems import find_system

        with self._opened.lock:
            outcome = self.dry_run(system, request)
            if request.scheduled:
                self._opened.record_run(find_system(system).job)
            return outcome

    def dry_run(self, system: str, request: PlanRequest) -> PlanOutcome:
        """Makes a dry run, without recording a job as run."""
        from engine.services.systems import find_system

        planner = find_system(system)
        snapshot = self._opened.scan(request.tick)
        self._services.outside.record()
        outcome = self._queue.writable(planner.outcome(self._opened, snapshot, request))
        self._keep_report(system, outcome)
        made = self._queue.submit(outcome, request.tick, unattended=request.unattended or request.scheduled)
        if made.cost.calls:
            said = {"system": system, "plan": made.plan.id if made.plan is not None else None}
            self._opened.audit.append("cost", self._opened.real_clock(), said | msgspec.to_builtins(made.cost))
        return made

    def preview(self, system: str, request: PlanRequest = PlanRequest()) -> PlanOutcome:  # noqa: B008
        """Makes a dry run that leaves nothing: no plan in the queue, no report."""
        from engine.services.systems import find_system

        with self._opened.lock:
            return find_system(system).outcome(self._opened, self._opened.scan(request.tick), request)

    def estimate(self, system: str, request: PlanRequest = PlanRequest()) -> CostEstimate:  # noqa: B008
        """Estimates a dry run's cost, without asking a model or queueing anything."""
        from engine.services.policy_models import price_of

        llm, questions = self._opened.policy.llm, list[ModelQuestion]()
        if llm.provider != "extractive":
            self.preview(system, msgspec.structs.replace(request, counted=questions.append))
        return estimate(
            questions, self._opened.counter, partial(price_of, llm), llm.max_usd_per_plan, batch_from=llm.batch_from
        )

    def queue(self) -> tuple[QueueEntry, ...]:
        """Gives every plan's entry, after marking stale and expired ones."""
        with self._opened.lock:
            self._queue.refresh()
            return self._queue.entries()

    def load(self, plan_id: str, *, to_look: bool = False) -> Plan:
        """Gives a plan by its id or its unique ending. `to_look`: for an hour no unattended plan supersedes it."""
        plan = self._opened.queue.load(plan_id)
        if to_look and not self._opened.database.read_only:
            with suppress(OSError):  # a full disk hinders nobody from looking
                self._opened.queue.attend(plan.id, self._opened.real_clock())
        return plan

    def diffs(self, plan: Plan) -> "tuple[FileDiff, ...]":
        """Gives the diff of each change, in order."""
        from engine.services.line_notes import with_notes

        diffs = change_diffs(plan, self._opened.root.read)
        return with_notes(plan, diffs, lambda path: "\n".join(self.source_lines(LineSpan(path, 1, _ALL))))

    def sizes(self, plan: Plan) -> "PlanSizes":
        """Measures the semantic shards, ROOT and MEMORY.md after a plan, and the notes of memory tiers."""
        from engine.plans.sizes import PlanSizes, lasting_files, tier_sizes

        opened, snapshot = self._opened, self._opened.fresh(look=False)
        limits = opened.policy.limits
        files, tiers = lasting_files(plan, opened.root.read, limits), tier_sizes(plan, snapshot, limits)
        return PlanSizes(files, tiers, lru_cache(maxsize=_COUNTED)(opened.counter.count))

    def source_lines(self, span: LineSpan) -> tuple[str, ...]:
        """Reads the lines that a summary came from, wherever their note is now; `MemdeckError` where they are gone."""
        try:
            data = self._opened.root.read(span.path)
        except FileMissing:
            data = self._opened.root.read(self._opened.records.moves().place(span.path))
        lines = split_lines(shown_text(data))
        return tuple(lines if is_locked(data) else lines[span.start - 1 : span.end])

    def apply(self, plan: Plan, approval: Approval, tick: Tick | None = None) -> Operation:
        from engine.plans.apply.entry import apply

        self._services.outside.record()
        operation = apply(self._opened.context, plan, approval, tick=tick, check=lambda: self._refuse_saved(plan))
        if plan.system == System.FORGET:
            from engine.services.receipts import finish_forgetting

            finish_forgetting(self._opened)
        self._services.outside.operation_ended()
        return operation

    def _refuse_saved(self, plan: Plan) -> None:
        """Raises `Stale` where another flush saved some of its turns meanwhile (decision B18)."""
        from engine.services.flush_sessions import saved_turns

        turns = flushed_turns(plan)
        saved = saved_turns(self._opened.operations, self._opened.queue) if turns else {}
        for source, (first, _last) in turns.items():
            if saved.get(source, 0) >= first:
                raise Stale(f"turns of {redact(source)} were flushed since", where=plan.id, hint="memdeck plan flush")

    def reject(self, plan_id: str, reason: str) -> QueueEntry:
        """Rejects a plan for good, with the operator's reason."""
        opened, reason = self._opened, redact(reason)
        entry = opened.queue.set_state(plan_id, PlanState.REJECTED, reason, self._opened.real_clock())
        # The queue keeps the words; a chain from which nothing can be taken out holds their hash alone (D62).
        told = {"plan": entry.id, "reason_sha256": sha256_hex(reason.encode())}
        opened.audit.append("reject", self._opened.real_clock(), told)
        return entry

    def _keep_report(self, system: str, outcome: PlanOutcome) -> None:
        """Stores the report of a dry run without a plan; the queue has the other reports."""
        if outcome.plan is None:
            with suppress(MemdeckError):
                self._runs.keep(
                    system,
                    outcome,
                    made_at=self._opened.real_clock(),
                    now=self._opened.now(),
                    simulated_clock=self._opened.what_if is not None,
                )
