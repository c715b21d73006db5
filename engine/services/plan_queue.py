"""The only way into the queue, and the queue as the operator sees it."""

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from engine.errors import Refused
from engine.monitoring.queue_rules import QueueRules
from engine.monitoring.snooze import Snoozed
from engine.plans.plan import Plan, PlanState, QueueEntry
from engine.plans.planning import PlanOutcome
from engine.plans.policy.rules import may_run_by_itself
from engine.plans.prediction import plan_obstacle, present_sha256
from engine.plans.queue import RefusedPlan
from engine.plans.system_request import System
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick, phase
from engine.workspace.wreckage import is_left

if TYPE_CHECKING:
    from engine.services.engine import Engine


class PlanQueue:
    """Queues annotated plans, and tells which are stale, expired or snoozed."""

    def __init__(self, opened: OpenWorkspace, services: "Engine") -> None:
        """Takes `services` to reach the probes, made only when a plan is queued."""
        self._opened, self._services = opened, services
        self._snoozed = Snoozed(opened.database)

    def refresh(self) -> None:
        opened, at = self._opened, self._opened.real_clock()
        opened.queue.mark_stale(self._sha256_of, opened.policy.sha256, at)
        opened.queue.expire(at)

    def entries(self) -> tuple[QueueEntry, ...]:
        """Gives every plan's entry as last marked, with snoozed ones."""
        return self._snoozed.mark(self._opened.queue.entries(), self._opened.real_clock())

    def newest(self, system: str) -> str | None:
        """Gives the id of a system's newest pending plan; None if there is none."""
        waiting = [entry for entry in self._opened.queue.entries() if entry.state is PlanState.PENDING]
        return max((queued.id for queued in waiting if queued.system == system), default=None)

    def snooze(self, plan_id: str, until: datetime | None) -> QueueEntry:
        """Snoozes a plan until a real time; None unsnoozes it. Digest and state stay."""
        with self._opened.lock, disk_errors("putting a plan off failed"):
            return self._snoozed.snooze(self._opened.queue.entry(plan_id), until, self._opened.real_clock())

    def writable(self, outcome: PlanOutcome) -> PlanOutcome:
        """Gives the outcome without plans that can never be applied; the first obstacle becomes the reason."""
        root = self._opened.root
        reason = plan_obstacle(root, outcome.plan) if outcome.plan is not None else ""
        others = {plan_obstacle(root, plan): None for plan in outcome.also if plan_obstacle(root, plan)}
        also = tuple(plan for plan in outcome.also if not plan_obstacle(root, plan))
        if reason:
            return msgspec.structs.replace(outcome, plan=None, also=also, reason_no_action=reason, report="")
        if others:
            report = f"{outcome.report.rstrip()}\nNot queued: {'; '.join(others)}\n"
            return msgspec.structs.replace(outcome, also=also, report=report)
        return outcome

    def writable_plan(self, plan: Plan) -> Plan:
        """Gives the plan; `Refused` where it can never be applied."""
        if reason := plan_obstacle(self._opened.root, plan):
            raise Refused(reason)
        return plan

    def submit(self, outcome: PlanOutcome, tick: Tick | None = None, *, unattended: bool = False) -> PlanOutcome:
        """Queues a dry run's plans; those of tier A run by themselves if the policy allows it. `tick` may cancel."""
        outcome = _with_left_out(self.writable(outcome), self._opened.snapshot)
        noted = None if outcome.plan is None else self._noted(outcome.plan, tick)
        others = [self._noted(plan) for plan in outcome.also]
        if noted is not None:
            # Flags and labels are a part of what a digest is of, so that the first plan has its own only now.
            first = noted.digest
            others = [msgspec.structs.replace(other, after=first) if other.after else other for other in others]
        phase("queueing", tick)
        also = tuple(self._put(other, unattended=unattended) for other in others)
        if noted is None:
            return msgspec.structs.replace(outcome, also=also)
        noted = msgspec.structs.replace(noted, also=tuple(other.id for other in also))
        plan = self._put(noted, unattended=unattended)
        return msgspec.structs.replace(outcome, plan=plan, also=also)

    def file(self, plan: Plan, refused: RefusedPlan | None = None, *, unattended: bool = False) -> Plan:
        """Queues a plan with flags and trust labels; it never runs by itself. Rejects `refused`, which it replaces."""
        noted, at = self._noted(plan), self._opened.real_clock()
        return self._opened.queue.put(noted, at, refused, unattended=unattended)

    def _noted(self, plan: Plan, tick: Tick | None = None) -> Plan:
        from engine.lifecycle.forget.tombstones import without_forgotten
        from engine.services.plan_notes import with_notes

        if plan.system == System.FORGET:  # it adds no word but the mark
            return plan
        if plan.system != System.CORRECT:  # whose words the operator has just given
            plan = without_forgotten(self._opened.state.path, plan)
        return with_notes(self._opened, self._opened.snapshot, plan, self._services.probes.note, tick)

    def _put(self, noted: Plan, *, unattended: bool) -> Plan:
        opened = self._opened
        now = opened.real_clock()
        queued = opened.queue.put(noted, now, unattended=unattended)
        entry = opened.queue.entry(queued.id)
        if unattended and (rule := QueueRules(opened.database).take(entry, now)) is not None:
            if rule.refuse:
                why = f"by your rule until {rule.until:%Y-%m-%d}, which takes {rule.left} more"
                self._services.plans.reject(queued.id, why)
            else:
                self._snoozed.snooze(entry, rule.until, now)
            return queued
        if may_run_by_itself(queued, opened.policy):
            from engine.plans.apply.entry import apply

            apply(opened.context, queued, None)
        return queued

    def _sha256_of(self, path: str) -> str | None:
        """Gives the present hash of a plan's input: from the snapshot, else from the file."""
        snapshot = self._opened.snapshot
        if snapshot is not None and path in snapshot.files:
            return snapshot.files[path].sha256
        return present_sha256(self._opened.root, path)


_DERIVING = frozenset({"tree", "compact", "condense", "distill"})
_NAMED = 3  # files that a plan names as left out; it counts the others


def _with_left_out(outcome: PlanOutcome, snapshot: Snapshot | None) -> PlanOutcome:
    """Adds skipped notes of memory to the outcome, so that no plan seems to cover them (G32)."""
    told = outcome.reason_no_action or ""
    skipped = (skipped_file for skipped_file in (snapshot.skipped if snapshot else ()) if skipped_file.path not in told)
    left = [one for one in skipped if one.path.startswith("memory/") and is_left(one)]
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    said = "; ".join(f"{skipped_file.path}: {skipped_file.reason}" for skipped_file in left[:_NAMED]) + more
    if not left:
        return outcome
    if outcome.plan is None:
        reason = f"{outcome.reason_no_action}; omitted: {said}"
        return msgspec.structs.replace(outcome, reason_no_action=reason) if outcome.reason_no_action else outcome
    if outcome.plan.system not in _DERIVING:
        return outcome
    plan = msgspec.structs.replace(outcome.plan, warnings=(*outcome.plan.warnings, f"omitted: {said}"))
    return msgspec.structs.replace(outcome, plan=plan)
