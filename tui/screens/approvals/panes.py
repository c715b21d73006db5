"""Approvals' panes: the queue, the plan under its cursor, its changes and a diff; which of each one is at."""

from functools import cached_property
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from engine.plans.plan import Change, Move, PlanState, QueueEntry
from tui.present.approvals.plan import LoadedPlan
from tui.present.words import file_name, safe
from tui.screens.approvals.plan_pane import PlanPane
from tui.screens.approvals.queue_pane import QueuePane
from tui.screens.approvals.state import ApprovalsState
from tui.screens.page import Page
from tui.widgets.line_list import LineList
from tui.widgets.style import style_sheet


class ApprovalsPanes(Page):
    """The queue, the plan under its cursor, its changes, and the diff of one of them."""

    PANES: ClassVar[tuple[str, ...]] = ("queue", "head", "changes", "diff")
    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("ApprovalsPage")

    def __init__(self) -> None:
        super().__init__(id="approvals")
        self.desk = ApprovalsState()
        self._change = 0
        self._settling: Timer | None = None
        self._leading = False
        """True if the last key was the first of its run, whose plan was read at once."""
        self._return = ("", 0)
        """The plan that one goes back to, and which of its changes is shown then."""
        self._unread = ""
        """The plan that could not be read, of which nothing says any more that it is being read."""

    def compose(self) -> ComposeResult:
        yield PlanPane()
        with Vertical(id="left"):
            yield QueuePane()
            yield LineList(ident="changes", empty="reading…")

    # What is under the cursors

    @cached_property
    def queue(self) -> QueuePane:
        return self.query_one(QueuePane)

    @cached_property
    def plan(self) -> PlanPane:
        return self.query_one(PlanPane)

    @property
    def entry(self) -> QueueEntry | None:
        """The plan under the queue's cursor."""
        return self.queue.state.entry

    @property
    def loaded(self) -> LoadedPlan | None:
        """The same plan, if it was read already."""
        return self.desk.get(self.entry)

    @property
    def unreadable(self) -> bool:
        """Tells whether the plan under the queue's cursor could not be read."""
        return self.entry is not None and self.entry.id == self._unread

    @property
    def change(self) -> int:
        """The number of the change under the cursor."""
        loaded = self.loaded
        return loaded.plan.changes[self._change].n if loaded is not None and loaded.plan.changes else 0

    @property
    def changes_here(self) -> tuple[Change, ...]:
        """The changes of the plan under the cursor, as far as it is read."""
        return self.loaded.plan.changes if self.loaded is not None else ()

    @property
    def moving(self) -> str:
        """Gives the path of the note that the current change moves, or has moved; empty where it moves none."""
        loaded, entry = self.loaded, self.entry
        change = loaded.plan.changes[self._change] if loaded is not None and loaded.plan.changes else None
        if entry is None or not isinstance(change, Move):
            return ""
        moved = entry.state in (PlanState.APPLIED, PlanState.PARTIAL) and change.n in self._applied(entry.id)
        return change.to if moved else change.path

    def _applied(self, plan_id: str) -> tuple[int, ...]:
        """The changes that were approved of a plan, where it was applied."""
        operation = self.desk.operations.get(plan_id)
        return operation.numbers if operation else ()

    @property
    def diff_on_screen(self) -> bool:
        """Tells whether the diff of the selected plan is painted where the operator can see it."""
        return bool(self.display) and self.plan.shows(self.loaded)

    @property
    def in_sight(self) -> bool:
        """Tells whether nothing stands over the diff: no other screen, and no question that it is not laid out for."""
        return self.screen.is_current

    # Where one is

    def crumbs(self) -> tuple[str, ...]:
        """`Approvals › p-20260315-0001 › 3/24 deploy.md`."""
        entry, loaded, here = self.entry, self.loaded, self.current
        if here == "queue" or entry is None:
            return super().crumbs()
        if here == "head" or loaded is None or not loaded.plan.changes:
            return (*super().crumbs(), safe(entry.id))
        total, change = len(loaded.plan.changes), loaded.plan.changes[self._change]
        named = f"{self._change + 1:,}/{total:,} {file_name(change.path)}"
        return (*super().crumbs(), safe(entry.id), "Changes" if here == "changes" else named)

    def spot(self) -> str:
        return f"{self.current} {self._change} {self.queue.state.selected}"

    @cached_property
    def changes(self) -> LineList:
        return self.query_one("#changes", LineList)
