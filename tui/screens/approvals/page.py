"""Defines the Approvals page: what will change if I say yes?"""

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from tui.bridge.facts import ConsolidationsRead, OperationsRead, PlanExpected, QueueRead, TimePassed
from tui.present.words import file_name, safe
from tui.screens.approvals.batch_actions import BatchActions
from tui.screens.approvals.changes_pane import ChangesPane
from tui.screens.approvals.plan_pane import PlanPane
from tui.screens.approvals.plan_question import AskedPlan
from tui.screens.approvals.queue_pane import QueuePane
from tui.screens.approvals.selection import PlanSelection
from tui.screens.approvals.viewed_plans import ApprovalsState
from tui.screens.page import Page, Place, PlanPlace
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem


class ApprovalsPage(Page, scope="approvals"):
    """Shows the queue, the selected plan, its changes, and the diff of one of them."""

    PANES: ClassVar[tuple[str, ...]] = ("queue", "head", "changes", "diff")

    def __init__(self) -> None:
        super().__init__(id="approvals")
        self.desk, self.queue = ApprovalsState(), QueuePane()
        self.selection = PlanSelection(self.desk, self.queue.state)
        self.plan = PlanPane(self.selection, self.queue)
        self.asked = AskedPlan(self, self.plan)

    @property
    def noted_id(self) -> str | None:
        """The id of the selected plan, for the operator's own commands; None without one."""
        return self.selection.entry.id if self.selection.entry is not None else None

    def compose(self) -> ComposeResult:
        yield self.plan
        with Vertical(id="left"):
            yield self.queue
            yield self.plan.changes

    def on_mount(self) -> None:
        follow = self.deck.facts.follow
        follow(OperationsRead, self._took_operations)
        follow(ConsolidationsRead, lambda read: self.queue.take_items(read.items))
        follow(QueueRead, self._took_queue)
        follow(PlanExpected, self._expect)
        follow(TimePassed, self._show_ages)

    # What was read

    def _expect(self, expected: PlanExpected) -> None:
        """Puts the cursor on a plan once it arrives, unless the page is in front."""
        if not self.display:
            self.queue.expect(expected.plan)

    def _took_operations(self, read: OperationsRead) -> None:
        self.desk.take_operations(read.operations)
        self.plan.show_head()

    def _took_queue(self, read: QueueRead) -> None:
        self.queue.take(read.entries)
        self.plan.show_head()

    def _show_ages(self, _: TimePassed) -> None:
        self.queue.show()
        self.plan.show_head()

    # Where one is

    def enter(self) -> None:
        """Removes the toasts about plans, since the page came to the front."""
        super().enter()
        self.deck.clear_notifications()

    def show(self, wanted: Place) -> bool:
        """Puts the cursor on a plan, and removes a filter that hides it."""
        if isinstance(wanted, PlanPlace):
            self.queue.find(wanted.plan)
        return isinstance(wanted, PlanPlace)

    def crumbs(self) -> tuple[str, ...]:
        """Returns `Approvals › p-20260315-0001 › 3/24 deploy.md`."""
        selection, here = self.selection, self.current
        entry, changes = selection.entry, selection.changes
        if here == "queue" or entry is None:
            return super().crumbs()
        if here == "head" or not changes:
            return (*super().crumbs(), safe(entry.id))
        named = f"{selection.index + 1:,}/{len(changes):,} {file_name(changes[selection.index].path)}"
        return (*super().crumbs(), safe(entry.id), "Changes" if here == "changes" else named)

    def spot(self) -> str:
        return f"{self.current} {self.selection.index} {self.queue.state.selected}"

    def return_to(self, spot: str) -> None:
        """Goes back to a plan, a change of it and a pane, as far as they still exist."""
        pane, number, plan_id = spot.split(" ", 2)
        if plan_id and plan_id != self.queue.state.selected:
            self.queue.state.wanted = (plan_id, int(number))
            self.queue.find(plan_id)
        else:
            self.plan.changes.action_turn(int(number) - self.selection.index)
        self.turn_to(pane)

    def turn_to(self, name: str) -> None:
        super().turn_to(name)
        self.call_after_refresh(self._arranged)

    def _arranged(self) -> None:
        """Updates panes and hints after a layout, since only what is visible can be approved."""
        self.plan.head.fit()
        self.plan.look()
        self.screen.refresh_bindings()

    # What the panes tell

    @on(QueuePane.Rested)
    def _rested(self, event: QueuePane.Rested) -> None:
        event.stop()
        self.plan.rested(moved=event.moved)

    @on(ChangesPane.DiffWanted)
    def _to_diff(self) -> None:
        self.turn_to("diff")

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        self.deck.remember()
        if event.control.id == "queue" and self.queue.state.item is not None:
            self._open_consolidation(self.queue.state.item)
            return
        self.turn_to("changes" if event.control.id == "queue" and self.one_pane else "diff")

    def _open_consolidation(self, item: "ConsolidationItem") -> None:
        from tui.screens.approvals.consolidation import ConsolidationScreen

        self.deck.ask(ConsolidationScreen(item), self._consolidation_left)

    def _consolidation_left(self, plan: str) -> None:
        if any(entry.id == plan for entry in self.queue.state.shown):
            self.queue.find(plan)
        else:  # it is queued, and read in a moment
            self.queue.expect(plan)

    # Keys, and what they need

    def lacks_plans(self) -> str:
        return "" if self.queue.state.shown else "no plan is selected"

    def lacks_plan(self) -> str:
        return "" if self.selection.entry is not None else "no plan is selected"

    def lacks_text(self) -> str:
        return self.selection.absence()

    def lacks_approvable(self) -> str:
        entry, loaded, marked = self.selection.entry, self.selection.loaded, self.queue.state.chosen
        if len(marked) > 1 or entry is None or loaded is None:
            return BatchActions.why_not(marked) if len(marked) > 1 else self.lacks_text()
        return self.desk.why_not_approve(entry, loaded, self.deck.now())

    def action_ask_approval(self) -> None:
        """Opens the question. It approves nothing: the dialog reads the answer from keys alone."""
        marked = self.queue.state.chosen
        if len(marked) > 1:
            BatchActions(self.deck, self.desk, self.queue.state.decided).ask(marked)
        elif marked[0] != self.selection.entry:
            self.queue.find(marked[0].id)
            self.deck.say(f"{safe(marked[0].id)} is marked: look at its diff, then approve")
        else:
            self.asked.ask()

    @on(QueuePane.RejectionWanted)
    def _reject(self) -> None:
        """Asks why: about the plans; where one looks into one of which changes are marked, about these."""
        if self.current != "queue" and self.selection.marks:
            self.plan.changes.action_refuse()
        else:
            self.queue.deciding.ask_rejection(self.queue.state.chosen)

    def action_reports(self) -> None:
        self.deck.flows.readers.show_digest()

    def action_filter(self) -> None:
        """Opens the filter under the queue; in another pane, searches."""
        if self.current != "queue":
            self.deck.action_find_here()
        else:
            self.queue.open_filter()

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self.queue.close_filter(clear=False)
        self.turn_to("queue")

    def leave(self) -> bool:
        if self.queue.close_filter(clear=True):
            self.turn_to("queue")
            return True
        if super().leave():
            return True
        back = {"diff": "changes" if self.one_pane else "queue", "changes": "queue", "head": "queue"}
        if self.current in back:
            self.turn_to(back[self.current])
            return True
        return self.queue.unmark()
