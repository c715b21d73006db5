"""Plans for the front ends: dry runs, the queue, and what a person approved."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Stale
from engine.monitoring.dry_runs import RunsWithoutPlan
from engine.plans.apply import entry as applying
from engine.plans.approval import Approval
from engine.plans.diff import FileDiff, change_diffs, split_lines
from engine.plans.flushed_turns import flushed_turns
from engine.plans.operation import Operation
from engine.plans.plan import Plan, PlanState, QueueEntry
from engine.plans.planning import PlanRequest
from engine.plans.sizes import PlanSizes, file_sizes, tier_sizes
from engine.plans.status import PlanOutcome
from engine.services.flush_sessions import saved_turns
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.planner_records import file_moves
from engine.services.systems import SYSTEMS, find_system
from engine.text.document import is_locked, shown_text
from engine.text.secrets.detector import redact
from engine.workspace.paths import FileMissing
from engine.workspace.values import LineSpan, Tick

if TYPE_CHECKING:
    from engine.models.estimate import CostEstimate
    from engine.models.model_task import ModelQuestion


class PlanService:
    """Makes, shows, rejects and applies plans. It approves none."""

    def __init__(
        self,
        opened: OpenWorkspace,
        queue: PlanQueue,
        runs: RunsWithoutPlan,
        written: Callable[[], None],
        record: Callable[[], object],
    ) -> None:
        """`written` is called once an operation changed the workspace, `record` before one, and by each dry run."""
        self._opened = opened
        self._queue = queue
        self._runs = runs
        self._written = written
        self._record = record

    def systems(self, *, named: bool = False) -> tuple[tuple[str, str], ...]:
        """Lists what can be planned by its name alone, or with what `--take` names: name, and what it does."""
        usable = (one for one in SYSTEMS.values() if not one.usage or (named and one.usage.startswith("memdeck plan ")))
        return tuple((system.name, system.title) for system in usable)

    def make(self, system: str, request: PlanRequest = PlanRequest()) -> PlanOutcome:  # noqa: B008  (it is frozen)
        """A dry run: puts what should change into the queue, or says why there is nothing to do."""
        with self._opened.lock:
            outcome = self.dry_run(system, request)
            if request.scheduled:
                self._opened.record_run(find_system(system).job)
            return outcome

    def dry_run(self, system: str, request: PlanRequest) -> PlanOutcome:
        """A dry run as it was asked for, which remembers no job as run."""
        planner = find_system(system)
        snapshot = self._opened.scan(request.tick)
        self._record()
        outcome = self._queue.writable(planner.outcome(self._opened.parts, snapshot, request))
        self._keep_report(system, outcome)
        unattended = request.unattended or request.scheduled
        made = self._queue.submit(outcome, request.tick, unattended=unattended)
        cost = made.cost
        if cost.calls:
            said = {"system": system, "plan": made.plan.id if made.plan is not None else None}
            self._opened.parts.audit.append("cost", self._opened.real_now(), said | msgspec.to_builtins(cost))
        return made

    def estimate(self, system: str, request: PlanRequest = PlanRequest()) -> "CostEstimate":  # noqa: B008
        """Reckons what a dry run would cost, without asking a model or putting anything into the queue."""
        from engine.models.estimate import estimate
        from engine.services.text_models import price_of

        parts = self._opened.parts
        llm = parts.policy.llm
        questions = self._questions(system, request) if llm.provider == "claude" else ()
        return estimate(
            questions, parts.counter, partial(price_of, llm), llm.max_usd_per_plan, batch_from=llm.batch_from
        )

    def _questions(self, system: str, request: PlanRequest) -> "tuple[ModelQuestion, ...]":
        """Lists what a dry run would ask a model, without asking it or putting anything into the queue."""
        found: list[ModelQuestion] = []
        counting = msgspec.structs.replace(request, counted=found.append)
        with self._opened.lock:
            find_system(system).outcome(self._opened.parts, self._opened.scan(request.tick), counting)
        return tuple(found)

    def queue(self) -> tuple[QueueEntry, ...]:
        """Every plan's place, with those marked that went stale or whose approval expired."""
        with self._opened.lock:
            self._queue.refresh()
            return self._queue.entries()

    def load(self, plan_id: str, *, to_look: bool = False) -> Plan:
        """A plan by its id, or by the end of it where only one ends so.

        `to_look`: a person looks at it, and for an hour no plan that is made unattended supersedes it.
        """
        plan = self._opened.parts.queue.load(plan_id)
        if to_look and not self._opened.parts.database.read_only:
            with suppress(OSError):  # a full disk hinders nobody from looking
                self._opened.parts.queue.attend(plan.id, self._opened.real_now())
        return plan

    def diffs(self, plan: Plan) -> tuple[FileDiff, ...]:
        """Compares each file of the plan with its change, in order."""
        return change_diffs(plan, self._opened.parts.root.read)

    def sizes(self, plan: Plan, diffs: Sequence[FileDiff]) -> PlanSizes:
        """Measures the semantic shards, ROOT and MEMORY.md that a plan changes, and counts the notes of its tiers."""
        parts, snapshot = self._opened.parts, self._opened.fresh(look=False)
        files = file_sizes(plan, diffs, parts.counter, parts.policy.limits)
        return PlanSizes(files, tier_sizes(plan, snapshot, parts.policy.limits))

    def source_lines(self, span: LineSpan) -> tuple[str, ...]:
        """The raw text of the lines a summary came from; `MemdeckError` where they cannot be read any more. A note that
        an operation moved since is read where it is now."""
        parts = self._opened.parts
        try:
            data = parts.root.read(span.path)
        except FileMissing:
            data = parts.root.read(file_moves(parts).place(span.path))
        lines = split_lines(shown_text(data))
        return tuple(lines if is_locked(data) else lines[span.start - 1 : span.end])

    def apply(self, plan: Plan, approval: Approval, tick: Tick | None = None) -> Operation:
        """Carries out what a person approved."""
        context = self._opened.parts.context
        self._record()
        operation = applying.apply(context, plan, approval, tick=tick, check=lambda: self._refuse_saved(plan))
        self._written()
        return operation

    def _refuse_saved(self, plan: Plan) -> None:
        """`Stale` where another flush saved some of its turns meanwhile: nothing is flushed twice (decision B18)."""
        turns = flushed_turns(plan)
        saved = saved_turns(self._opened.parts) if turns else {}
        for source, (first, _last) in turns.items():
            if saved.get(source, 0) >= first:
                raise Stale(f"turns of {redact(source)} were flushed since", where=plan.id, hint="memdeck plan flush")

    def reject(self, plan_id: str, reason: str) -> QueueEntry:
        """Takes a plan out of the queue for good, with the operator's reason."""
        parts, reason = self._opened.parts, redact(reason)
        entry = parts.queue.set_state(plan_id, PlanState.REJECTED, reason, self._opened.real_now())
        parts.audit.append("reject", self._opened.real_now(), {"plan": entry.id, "reason": reason})
        return entry

    def snooze(self, plan_id: str, until: datetime | None) -> QueueEntry:
        """Puts a plan off until then (real time); None wakes it. Its digest and its state stay what they are."""
        return self._queue.snooze(plan_id, until)

    def _keep_report(self, system: str, outcome: PlanOutcome) -> None:
        """Files the report of a dry run that came to nothing; the queue has those of the others."""
        if outcome.plan is None:
            opened = self._opened
            with suppress(MemdeckError):
                self._runs.keep(
                    system,
                    outcome,
                    made_at=opened.real_now(),
                    now=opened.now(),
                    simulated_clock=opened.parts.what_if is not None,
                )
