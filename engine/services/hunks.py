"""The hunks of a plan that waits, and the plan without those that the operator refuses: a plan of its own."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.plans.plan import Plan
from engine.plans.queue import RefusedPlan
from engine.plans.status import PlanOutcome
from engine.services.entries import check_open
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact

if TYPE_CHECKING:
    from engine.plans.plan_hunks import ChangeHunks

LONGEST_REASON = 1_000
"""Characters of a reason that are kept."""


class HunkService:
    """Shows the hunks of plans and refuses some of them. It approves nothing, and carries no approval over."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def of_plan(self, plan: Plan) -> "tuple[ChangeHunks, ...]":
        """The hunks of each change, counted as `CHANGE#HUNK`; `Stale` where a file is not as the plan knew it."""
        from engine.plans.plan_hunks import hunks_of

        return hunks_of(plan, self._opened.root.read)

    def of_change(self, plan: Plan, number: int) -> "ChangeHunks":
        """The hunks of one change; `UsageError` where the plan has no change of that number."""
        from engine.plans.plan_hunks import hunks_of_change

        change = next((one for one in plan.changes if one.n == number), None)
        if change is None:
            raise UsageError(f"the plan has {len(plan.changes)} changes", where=f"{plan.id} change {number}")
        return hunks_of_change(plan, change, self._opened.root.read)

    def refuse(self, plan_id: str, names: Sequence[str], reason: str, *, keep: bool = False) -> PlanOutcome:
        """Queues the plan without these hunks (`2#1`, `2#1#3`) and rejects the old one with the reason, in one write.
        `keep`: of the changes named, these hunks alone stay. No plan, and nothing rejected, where nothing would be
        left. `UsageError` for a hunk that there is not, `Stale` where an input changed, `Refused` with the reason where
        a plan check would not hold without a hunk."""
        from engine.plans.plan_hunks import named_hunks, without_hunks

        said = redact(visible_line(reason)).strip()[:LONGEST_REASON]
        if not said:
            raise UsageError("an empty reason", where=plan_id, hint="say why the hunks are refused")
        with self._opened.lock:
            self._opened.fresh(look=True)
            self._queue.refresh()
            queue, read = self._opened.queue, self._opened.root.read
            old = queue.load(plan_id)
            check_open(queue.entry(old.id))
            refused = named_hunks(names)
            if keep:
                refused = _others(self.of_plan(old), refused)
            if not any(refused.values()):
                raise UsageError("which hunks are refused?", where=old.id, hint=f"memdeck show {old.id} --hunks")
            part = without_hunks(old, refused, said, read)
            if part is None:
                return PlanOutcome(plan=None, reason_no_action=_nothing_left(old))
            told = _names(refused)
            made = self._queue.file(self._queue.writable_plan(part), RefusedPlan(old.id, f"hunk {told}: {said}"))
            record = {"plan": old.id, "reason": said, "hunks": told, "kept": made.id}
            self._opened.audit.append("reject", self._opened.real_clock(), record)
            return PlanOutcome(plan=made, report=made.report)


def _others(there: "Sequence[ChangeHunks]", kept: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """The hunks of the same changes that are not named; `UsageError` for one that there is not."""
    known = {one.change: frozenset(hunk.number for hunk in one.hunks) for one in there}
    for change, numbers in kept.items():
        if not numbers <= known.get(change, frozenset()):
            raise UsageError(f"change {change} has no such hunk", where=_names({change: numbers}))
    return {change: known[change] - numbers for change, numbers in kept.items()}


def _names(hunks: Mapping[int, frozenset[int]]) -> str:
    return ", ".join(f"{change}#{number}" for change in sorted(hunks) for number in sorted(hunks[change]))


def _nothing_left(plan: Plan) -> str:
    return f"nothing would be left of it: memdeck reject {plan.id} --reason TEXT"
