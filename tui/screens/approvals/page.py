"""Approvals: what will change if I say yes?"""

from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from tui.keys.naming import bindings
from tui.screens.approvals.batch_actions import BatchActions
from tui.screens.approvals.plan_actions import PlanActions
from tui.screens.approvals.whole_plan import WholePlanPanes
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem

_OF_WHAT_WAS_READ = frozenset(
    {"ask_approval", "edit_entry", "beside", "left_out", "mark", "turn(1)", "report", "hunks"}
)


class ApprovalsPage(WholePlanPanes):
    """The keys that lead to a decision about the plan under the cursor, and those that choose among plans."""

    BINDINGS = bindings("ApprovalsPage")

    def on_mount(self) -> None:
        decided = self.queue.state.decided
        self.deciding = PlanActions(self.deck, self.desk, expect=self.queue.expect, decided=decided)
        self.batching = BatchActions(self.deck, self.desk, decided)

    def action_turn(self, by: int) -> None:
        """To the next or previous change."""
        if not self._refused("turn(1)"):
            self.turn(by)

    def action_flagged(self, by: int) -> None:
        """To the next or previous flagged line of the plan, whichever of its changes it stands in."""
        if self._refused(f"flagged({by})"):
            return
        if self.current == "diff":
            self._to_flag(by)
        else:
            self.turn_to("diff")
            self.call_after_refresh(self._to_flag, by)  # a pane that was hidden has its lines by then

    def _to_flag(self, by: int) -> None:
        loaded = self.loaded
        if loaded is None or self.plan.diff.go_flagged(by):
            return
        last = len(loaded.plan.changes) - 1
        steps = range(self._change + by, last + 1 if by > 0 else -1, by)
        found = next((index for index in steps if loaded.plan.changes[index].flagged), None)
        if found is None:
            self.deck.say("no further flagged line in this plan")
            return
        self.turn(found - self._change)
        self.call_after_refresh(self.plan.diff.go_flagged, by, fresh=True)

    def action_mark(self) -> None:
        """Marks the current change; once some are marked, only those are approved. In the diff: a page further."""
        if self.current == "diff":
            self.read_on()
            return
        loaded = self.loaded
        if self._refused("mark") or loaded is None or not loaded.plan.changes:
            return
        explanation = self.desk.toggle(loaded, loaded.plan.changes[self._change].n)
        if explanation:
            self.deck.say(explanation)
        self.show_changes(loaded)
        self.show_head()
        self.show_change(loaded)

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        event.stop()
        self.deck.remember()
        if event.lines.id == "queue" and self.queue.state.item is not None:
            self._open_consolidation(self.queue.state.item)
            return
        self.turn_to("changes" if event.lines.id == "queue" and self.one_pane else "diff")

    def _open_consolidation(self, item: "ConsolidationItem") -> None:
        """Shows what became of each entry; a plan that is made there is opened here."""
        from tui.screens.approvals.consolidation import ConsolidationScreen

        self.app.push_screen(ConsolidationScreen(item), self._consolidation_left)

    def _consolidation_left(self, plan: str | None) -> None:
        if plan and any(entry.id == plan for entry in self.queue.state.shown):
            self.queue.find(plan)
        elif plan:  # it is queued, and read in a moment
            self.queue.expect(plan)

    @on(DiffView.SourceWanted)
    def _source(self, event: DiffView.SourceWanted) -> None:
        event.stop()
        moving = self.moving
        if event.span is None and moving:
            self.deck.flows.readers.show_note(moving)
        else:
            self.deck.flows.readers.show_source(event.span)

    # Keys that lead to a decision; none of them decides

    def name_of(self, action: str, usual: str) -> str:
        shows = self.plan.diff.opens == "fold" or (not self.plan.diff.opens and self.moving)
        if action == "mark" and self.current == "diff":
            return "Next page"
        return "Show" if action == "open" and shows else usual

    def why_not(self, action: str) -> str:
        if action == "open":
            return "" if self.plan.diff.opens or self.moving else "this line came from no other file"
        if action == "select" and self.queue.state.item is not None:
            return ""  # the item opens; it is no plan
        if action in _OF_WHAT_WAS_READ and self.unreadable:
            return "this plan cannot be read"
        return self.deciding.why_not(action, self.entry, self.loaded, self.queue.state.marked)

    def _refused(self, action: str) -> bool:
        """Says why a key does nothing now, where it does."""
        why = self.why_not(action)
        if why:
            self.deck.say(why, severity="warning")
        return bool(why)

    def action_ask_approval(self) -> None:
        """Opens the question. It approves nothing: the dialog reads the answer from keys alone."""
        marked = self.queue.state.marked
        if self._refused("ask_approval"):
            return
        if len(marked) > 1:
            self.batching.ask(marked)
        else:
            self.ask()

    def action_ask_rejection(self) -> None:
        """Asks for the reason of a refusal."""
        if not self._refused("ask_rejection"):
            self.deciding.ask_rejection(self.queue.state.chosen)

    def action_put_off(self) -> None:
        """Asks until when a plan is put off."""
        if not self._refused("put_off"):
            self.deciding.ask_until(self.queue.state.chosen)

    def action_edit_entry(self) -> None:
        """The plan's semantic entry in the operator's words, as a new plan."""
        if not self._refused("edit_entry") and self.loaded is not None:
            self.deciding.edit_entry(self.loaded, self.change)

    def action_beside(self) -> None:
        """A new entry beside the one it may repeat."""
        if not self._refused("beside") and self.loaded is not None:
            self.deciding.show_beside(self.loaded, self.change)

    def show_similar(self) -> None:
        """A new entry beside the one it may repeat, over the dialog."""
        if self.loaded is not None:
            self.deciding.show_beside(self.loaded, self.change, over=True)

    def action_hunks(self) -> None:
        """The hunks of the current change, to choose among them."""
        if not self._refused("hunks") and self.entry is not None and self.loaded is not None:
            self.deciding.show_hunks(self.entry, self.loaded, self._change, self.read_again)

    def action_left_out(self) -> None:
        """The lines that the summary of the current change, or else of any change, did not read."""
        if not self._refused("left_out") and self.loaded is not None:
            self.deciding.show_left_out(self.loaded, self.change)

    def action_report(self) -> None:
        """The planner's own report, whole."""
        if self.loaded is not None:
            self.deck.flows.readers.show_report(self.loaded.plan)

    def action_reports(self) -> None:
        """The digest, past dry runs as pages, and two of them compared."""
        self.deck.flows.readers.show_digest()

    # What the queue shows, and leaving

    def action_order(self) -> None:
        self.queue.turn_order()

    def action_show_put_off(self) -> None:
        self.queue.turn_put_off()

    def action_filter(self) -> None:
        """Opens the filter under the queue; in another pane, finds."""
        if self.current != "queue":
            self.action_find()
            return
        self.queue.open_filter()

    @on(Input.Submitted, "#filter")
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
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
