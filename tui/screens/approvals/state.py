"""Holds what the Approvals screen knows of plans: those read, their marks, and which diffs were on screen."""

from collections import OrderedDict
from datetime import datetime
from typing import TYPE_CHECKING

from engine.plans.flag_words import is_lasting
from engine.plans.operation import Operation, OperationKind
from engine.plans.plan import OPEN_STATES, Plan, PlanState, QueueEntry, RiskTier
from tui.present import glyphs
from tui.present.approvals import marks
from tui.present.approvals.plan import LoadedPlan, state_words

if TYPE_CHECKING:
    from engine.services.engine import Engine

_KEPT = 32
"""Plans kept in memory, so that going up and down the queue reads each once."""


def load(engine: "Engine", plan_id: str) -> LoadedPlan:
    """Reads a plan whole, with its digest and diffs; for a thread."""
    plan = engine.plans.load(plan_id)
    return LoadedPlan(
        plan=plan, digest=plan.digest, diffs=engine.plans.diffs(plan), entries=engine.entries.of_plan(plan)
    )


class ApprovalsState:
    """Plans by id. Marks and looks belong to a digest: a plan that changed starts without."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[str, LoadedPlan] = OrderedDict()
        self._marks: dict[str, frozenset[int]] = {}
        self._seen: dict[str, frozenset[int]] = {}
        self.operations: dict[str, Operation] = {}

    def keep(self, loaded: LoadedPlan) -> None:
        self._loaded[loaded.plan.id] = loaded
        self._loaded.move_to_end(loaded.plan.id)
        while len(self._loaded) > _KEPT:
            self._loaded.popitem(last=False)

    def get(self, entry: QueueEntry | None) -> LoadedPlan | None:
        """The plan of an entry as it was read, if it still is that plan."""
        loaded = self._loaded.get(entry.id) if entry else None
        return loaded if loaded and entry and loaded.digest == entry.digest else None

    def take_operations(self, operations: tuple[Operation, ...]) -> None:
        """The newest apply of each plan; `operations` come newest first."""
        applied = [operation for operation in operations if operation.kind is OperationKind.APPLY]
        self.operations = {operation.plan: operation for operation in reversed(applied)}

    def marks(self, loaded: LoadedPlan) -> frozenset[int]:
        return self._marks.get(loaded.digest, frozenset())

    def toggle(self, loaded: LoadedPlan, number: int) -> str:
        """Marks or unmarks a change; returns what else changed with it, in words."""
        marked = marks.toggle(loaded.plan, self.marks(loaded), number)
        self._marks[loaded.digest] = marked.marks
        return marked.explanation

    def chosen(self, loaded: LoadedPlan) -> tuple[int, ...]:
        return marks.chosen(loaded.plan, self.marks(loaded))

    def seen(self, loaded: LoadedPlan) -> frozenset[int]:
        return self._seen.get(loaded.digest, frozenset())

    def saw(self, loaded: LoadedPlan, number: int) -> bool:
        """The diff of a change was on screen; whether that is news."""
        seen = self.seen(loaded)
        self._seen[loaded.digest] = seen | {number}
        return number not in seen

    def looked_at(self, loaded: LoadedPlan) -> bool:
        """Tells whether any of a plan's diffs was on screen."""
        return not loaded.plan.changes or bool(self.seen(loaded))

    def why_not_approve(self, entry: QueueEntry, loaded: LoadedPlan, now: datetime, *, on_screen: bool) -> str:
        """Says why this plan can't be approved now; empty where it can.

        A plan's diff must be on screen. Tier C asks more: every chosen change of tier C was on screen once, and so do
        flagged lines on their way into semantic memory, ROOT or MEMORY.md.
        """
        if entry.state not in OPEN_STATES:
            anew = " · d makes it anew" if entry.state is PlanState.STALE else ""
            return f"{entry.id} can't be approved: {state_words(entry, now)}{anew}"
        if not loaded.plan.changes:
            return "this plan changes nothing"
        if not on_screen:
            return "look at the diff first: enter"
        numbers = self.chosen(loaded)
        grave = [change.n for change in loaded.plan.changes if change.risk_tier is RiskTier.C and change.n in numbers]
        lasting = [c.n for c in loaded.plan.changes if c.flagged and is_lasting(c.path) and c.n in numbers]
        unread = [n for n in lasting if n not in self.seen(loaded)]
        if unread:
            listed = ", ".join(map(str, unread[:5])) + ("…" if len(unread) > 5 else "")
            return f"look at the flagged changes first, not looked at yet: {listed} (f next flagged line)"
        unseen = [n for n in grave if n not in self.seen(loaded)]
        if unseen:
            listed = ", ".join(map(str, unseen[:5])) + ("…" if len(unseen) > 5 else "")
            return f"look at the tier C changes first, not looked at yet: {listed} (→ next change)"
        return failed_gates(loaded.plan)


def failed_gates(plan: Plan) -> str:
    """Names the gates that keep a plan from being approved; empty where none does."""
    failed = [gate.id for gate in plan.gates if not gate.passed]
    return f"{glyphs.FAILED.glyph} blocked by a gate: {', '.join(failed)}" if failed else ""
