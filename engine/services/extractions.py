"""The review of an extraction for the front ends: its entries, and the same plan without those that are refused."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from engine.errors import Stale, UsageError
from engine.plans.plan import Plan, PlanState
from engine.plans.planning import PlanRequest
from engine.plans.status import PlanOutcome
from engine.services.entries import check_open
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.planners import find_system

if TYPE_CHECKING:
    from engine.lifecycle.extract.review import ReviewedEntry


class ExtractionService:
    """Shows the entries of plans that wait. It writes no note, and approves nothing."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def latest(self) -> str | None:
        """The id of the newest extraction's plan that waits; None where there is none."""
        waiting = [one for one in self._opened.parts.queue.entries() if one.state is PlanState.PENDING]
        return max((one.id for one in waiting if one.system == "extract"), default=None)

    def entries(self, plan_id: str) -> "tuple[ReviewedEntry, ...]":
        """The entries that a plan adds, with the line that says each; `UsageError` for a plan of another system."""
        from engine.lifecycle.extract.review import reviewed_entries

        return reviewed_entries(self._opened.parts.queue.load(plan_id))

    def without(self, plan_id: str, refused: Collection[str]) -> PlanOutcome:
        """Queues the extraction again without these entries, by their ids; it supersedes the old plan.

        Made for the same instant. What was refused stays out once the new plan is applied. `UsageError` for an id
        that the plan has not, `Stale` where an input changed or another transcript was closed meanwhile.
        """
        with self._opened.lock:
            snapshot = self._opened.fresh(look=True)
            self._queue.refresh()
            queue = self._opened.parts.queue
            old, known = queue.load(plan_id), {one.id for one in self.entries(plan_id)}
            check_open(queue.entry(plan_id))
            if not refused:
                raise UsageError("which entries are refused?", where=old.id, hint=f"memdeck extraction {old.id}")
            for ident in refused:
                if ident not in known:
                    raise UsageError("the plan has no such entry", where=ident[:40])
            request = PlanRequest(
                transcripts=tuple(old.facts.get("asked", ())),
                left_out=tuple(sorted({*refused, *old.facts.get("refused", ())})),
                at=old.now,
            )
            outcome = find_system(old.system).outcome(self._opened.parts, snapshot, request)
            _check_same(old, outcome, known - frozenset(refused))
            return self._queue.submit(outcome)


def _check_same(old: Plan, outcome: PlanOutcome, left: Collection[str]) -> None:
    """`Stale` where the new plan has other entries than those that the operator looked at."""
    plan = outcome.plan
    made = {ident for idents in plan.facts["ids"].values() for ident in idents} if plan is not None else set[str]()
    if made != set(left):
        raise Stale("transcripts or notes changed since", where=old.id, hint="memdeck plan extract")
