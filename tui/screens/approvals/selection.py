"""Holds the selected plan, if it is read, and the selected change of it."""

from typing import NamedTuple

from engine.plans.plan import Change, Move, PlanState, QueueEntry
from tui.present.approvals import plan_head as plans
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.approvals.queue_state import QueueState
from tui.screens.approvals.viewed_plans import ApprovalsState


class Asked(NamedTuple):
    """The plan that a dialog asks about, and the pane to return to after the answer."""

    loaded: LoadedPlan
    numbers: tuple[int, ...]
    pane: str


class PlanSelection:
    """The selection shared by the page's panes: the queue changes it, the others show it."""

    def __init__(self, desk: ApprovalsState, queue: QueueState) -> None:
        self.desk, self.queue = desk, queue
        self.index = 0  # the place of the change that is looked at
        self.unread = ""  # the plan that could not be read, of which nothing says any more that it is being read
        self.asked: Asked | None = None  # the question that is open about a plan

    @property
    def entry(self) -> QueueEntry | None:
        """The plan under the queue's cursor; None without one."""
        return self.queue.entry

    @property
    def loaded(self) -> LoadedPlan | None:
        """The plan that a question is open about; else the one under the cursor, if it was read already."""
        return self.asked.loaded if self.asked is not None else self.desk.get(self.entry)

    def absence(self) -> str:
        """Says why the plan's text is not available; empty if it is."""
        if (entry := self.entry) is None:
            return "no plan is selected"
        if entry.id == self.unread:
            return "this plan cannot be read"
        return "" if self.loaded is not None else "the plan is still being read"

    @property
    def changes(self) -> tuple[Change, ...]:
        return self.loaded.plan.changes if self.loaded is not None else ()

    @property
    def number(self) -> int:
        changes = self.changes
        return changes[self.index].n if changes else 0

    @property
    def is_over(self) -> bool:
        return self.entry is not None and plans.over(self.entry)

    @property
    def marks(self) -> frozenset[int]:
        """The marked changes; for an ended plan the approved ones, unless all were."""
        if (loaded := self.loaded) is None:
            return frozenset()
        if not self.is_over:
            return self.desk.marks(loaded)
        # All of them marked would say nothing; some of them say which were chosen.
        approved = frozenset(self._applied(loaded.plan.id))
        return approved if len(approved) < len(loaded.plan.changes) else frozenset()

    @property
    def moving(self) -> str:
        """The present path of the note that the change moves; empty for another change."""
        entry, changes = self.entry, self.changes
        change = changes[self.index] if changes else None
        if entry is None or not isinstance(change, Move):
            return ""
        moved = entry.state in (PlanState.APPLIED, PlanState.PARTIAL) and change.n in self._applied(entry.id)
        return change.to if moved else change.path

    def _applied(self, plan_id: str) -> tuple[int, ...]:
        operation = self.desk.operations.get(plan_id)
        return operation.numbers if operation else ()

    def go(self, index: int) -> None:
        """Selects a change; an index beyond an end selects the outermost."""
        self.index = max(0, min(index, len(self.changes) - 1))
