"""The hunks of an open plan, and the plan without the hunks that the operator refuses."""

from collections.abc import Mapping, Sequence

from engine.errors import UsageError
from engine.lifecycle.extract.review import SYSTEM
from engine.plans.diff import DiffRow, RowKind
from engine.plans.partial_refusal import PartialRefusal, plan_without, refusal
from engine.plans.plan import Plan
from engine.plans.plan_hunks import REVIEW, ChangeHunks, hunks_of, hunks_of_change, named_hunks
from engine.plans.planning import PlanOutcome
from engine.plans.queue import RefusedPlan
from engine.services.entries import ExtractionService, check_open
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact

LONGEST_REASON = 1_000  # characters of a reason that are kept


class HunkService:
    """Shows the hunks of plans and refuses some. It approves nothing, and a new plan needs a new approval."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue, extractions: ExtractionService) -> None:
        self._opened, self._queue, self._extractions = opened, queue, extractions

    def of_plan(self, plan: Plan) -> tuple[ChangeHunks, ...]:
        """Gives the hunks of each change, named `CHANGE#HUNK`; `Stale` where a file changed since the plan was made."""
        return hunks_of(plan, self._opened.root.read)

    def of_change(self, plan: Plan, number: int) -> ChangeHunks:
        """Gives the hunks of one change; `UsageError` for an unknown change."""
        change = next((other for other in plan.changes if other.n == number), None)
        if change is None:
            raise UsageError(f"the plan has {len(plan.changes)} changes", where=f"{plan.id} change {number}")
        return hunks_of_change(plan, change, self._opened.root.read)

    def refusal(self, plan: Plan, names: Sequence[str]) -> PartialRefusal:
        """Gives the refusal of these hunks (`2#1`, `2#1#3`) and changes (`2`), with what depends on them."""
        if plan.system == SYSTEM:  # the entries that stand there, and nothing else
            return PartialRefusal(names=tuple(names), changes=frozenset(), hunks={})
        return refusal(plan, named_hunks(names), self._opened.root.read)

    def name_at(self, plan: Plan, number: int, row: DiffRow) -> str:
        """Names the hunk at a row of a change's diff; the whole change where no hunk is there or none stands alone."""
        there, removed = self.of_change(plan, number), row.kind is RowKind.REMOVED
        for hunk in () if there.whole or row.kind is RowKind.SAME else there.hunks:
            first, lines = (hunk.left, hunk.removed) if removed else (hunk.right, hunk.added)
            if (row.left_no if removed else row.right_no) in range(first, first + len(lines)):
                return hunk.name
        return str(number)

    def refuse(self, plan_id: str, names: Sequence[str], reason: str, *, keep: bool = False) -> PlanOutcome:
        """Queues the plan without these hunks and what depends on them, or with only the `keep` ones, and rejects the
        old plan, in one write; nothing if nothing would be left. `UsageError` for an unknown hunk, `Stale`."""
        if not (said := redact(visible_line(reason)).strip()[:LONGEST_REASON]):
            raise UsageError("an empty reason", where=plan_id, hint="say why the hunks are refused")
        with self._opened.lock:
            # Plans are marked stale by the files of now, before hunks are counted on them.
            self._opened.fresh(look=True)
            self._queue.refresh()
            queue, read = self._opened.queue, self._opened.root.read
            old = queue.load(plan_id)
            check_open(queue.entry(old.id))
            wanted = named_hunks(names)
            if keep:
                wanted = _others(self.of_plan(old), wanted)
            if not wanted or (keep and not any(wanted.values())):
                raise UsageError("what is refused?", where=old.id, hint=f"memdeck show {old.id} --hunks")
            refused = refusal(old, wanted, read)
            # Rows of an extraction are chosen by entry: a hunk may cut through several.
            if old.system == SYSTEM:
                return self._without_entries(old, wanted, said)
            if (part := plan_without(old, refused, said, read)) is None:
                why = f"all of it goes together ({refused.along[0].why}), and " if refused.along else ""
                nothing = f"{why}nothing would be left of it: memdeck reject {old.id} --reason TEXT"
                return PlanOutcome(plan=None, reason_no_action=nothing)
            if part.system == REVIEW:
                from engine.lifecycle.folders.plan import counted_again

                part = counted_again(part, read)
            made = self._queue.file(self._queue.writable_plan(part), RefusedPlan(old.id, f"{refused.words}: {said}"))
            self._record(old, ", ".join(refused.names), said, made)
            return PlanOutcome(plan=made, report=made.report)

    def _record(self, old: Plan, words: str, reason: str, made: Plan) -> None:
        record = {"plan": old.id, "reason": reason, "hunks": words, "kept": made.id}
        self._opened.audit.append("reject", self._opened.real_clock(), record)

    def _without_entries(self, old: Plan, wanted: Mapping[int, frozenset[int]], reason: str) -> PlanOutcome:
        """Makes an extraction again without the entries in these hunks."""
        lines = {
            (hunk.change, hunk.right + at)
            for hunks in self.of_plan(old)
            for hunk in hunks.hunks
            if hunks.change in wanted and (not wanted[hunks.change] or hunk.number in wanted[hunks.change])
            for at in range(len(hunk.added))
        }
        idents = [entry.id for entry in self._extractions.entries(old.id) if (entry.change, entry.line) in lines]
        if not idents:
            raise UsageError("no new entry stands there", where=old.id, hint=f"memdeck extraction {old.id} --refuse ID")
        outcome = self._extractions.chosen(old.id, refused=idents)
        if outcome.plan is not None:
            self._record(old, f"entry {', '.join(idents)}", reason, outcome.plan)
        return outcome


def _others(there: Sequence[ChangeHunks], kept: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """Gives the other hunks of the same changes; `UsageError` for an unknown hunk."""
    known = {hunks.change: frozenset(hunk.number for hunk in hunks.hunks) for hunks in there}
    for change, numbers in kept.items():
        if not numbers <= known.get(change, frozenset()):
            asked = ", ".join(f"{change}#{number}" for number in sorted(numbers))
            raise UsageError(f"change {change} has no such hunk", where=asked)
    return {change: known[change] - numbers for change, numbers in kept.items()}
