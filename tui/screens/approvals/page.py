"""Approvals: what will change if I say yes?"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from engine.plans.plan import OPEN_STATES, PlanState
from tui.keys.naming import bindings
from tui.present.approvals import queue
from tui.present.approvals.plan import over, state_words
from tui.screens.approvals.batch_actions import BatchActions
from tui.screens.approvals.plan_actions import PlanActions
from tui.screens.approvals.whole_plan import WholePlanPanes
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem


class ApprovalsPage(WholePlanPanes):
    """The keys that lead to a decision about the plan under the cursor, and those that choose among plans."""

    BINDINGS = bindings("ApprovalsPage")

    def on_mount(self) -> None:
        decided = self.queue.state.decided
        self.deciding = PlanActions(self.deck, self.desk, expect=self.queue.expect, decided=decided)
        self.batching = BatchActions(self.deck, self.desk, decided)

    def action_turn(self, by: int) -> None:
        """To the next or previous change."""
        self.turn(by)

    def action_flagged(self, by: int) -> None:
        """To the next or previous flagged line of the plan, whichever of its changes it stands in."""
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
        if loaded is None:
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

    # What keys need

    @property
    def mark_words(self) -> str:
        return "Next page" if self.current == "diff" else ""

    @property
    def open_words(self) -> str:
        opens = self.plan.diff.opens
        return "Show" if opens == "fold" or (not opens and self.moving) else ""

    def lacks_source(self) -> str:
        return "" if self.plan.diff.opens or self.moving else "this line came from no other file"

    def lacks_readable(self) -> str:
        return "this plan cannot be read" if self.unreadable else ""

    def lacks_plans(self) -> str:
        return "" if self.queue.state.shown else "no plan is selected"

    def lacks_plan(self) -> str:
        return "" if self.entry is not None else "no plan is selected"

    def lacks_text(self) -> str:
        return "" if self.loaded is not None else "the plan is still being read"

    def lacks_change(self) -> str:
        return "" if self.changes_here else "this plan changes nothing"

    def lacks_other_change(self) -> str:
        return "" if len(self.changes_here) > 1 else "this plan has no other change"

    def lacks_markable(self) -> str:
        """In the diff the same key goes a page on."""
        if self.current == "diff":
            return ""
        lacks = self.lacks_readable() or self.lacks_plan() or self.lacks_text() or self.lacks_change()
        return lacks or (queue.nothing_to_mark(self.entry) if self.entry is not None and over(self.entry) else "")

    def lacks_approvable(self) -> str:
        entry, loaded, marked = self.entry, self.loaded, self.queue.state.marked
        if len(marked) > 1 or entry is None or loaded is None:
            return BatchActions.why_not(marked) if len(marked) > 1 else self.lacks_text()
        return self.desk.why_not_approve(entry, loaded, self.deck.now())

    def lacks_unapplied(self) -> str:
        entry = self.entry
        return f"wait: {entry.id} is being applied" if entry is not None and entry.id in self.deck.running else ""

    def lacks_rejectable(self) -> str:
        return self._lacks_state(frozenset(state for state in PlanState if state.value in queue.REJECTABLE))

    def lacks_snoozable(self) -> str:
        return self._lacks_state(OPEN_STATES | {PlanState.STALE})

    def _lacks_state(self, able: Collection[PlanState]) -> str:
        """Names the state that is in the way; where plans are marked, the key is about those."""
        entry = self.entry
        is_over = entry is not None and not self.queue.state.marked and entry.state not in able
        return f"{entry.id} is over: {state_words(entry, self.deck.now())}" if entry is not None and is_over else ""

    def lacks_entry(self) -> str:
        entry, loaded = self.entry, self.loaded
        if entry is not None and entry.state not in OPEN_STATES:
            return f"{entry.id} can't be edited: {state_words(entry, self.deck.now())}"
        editable = loaded is not None and any(planned.text is not None for planned in loaded.entries)
        return "" if editable else "this plan has no semantic entry to edit"

    def lacks_similar(self) -> str:
        loaded = self.loaded
        there = loaded is not None and (loaded.plan.facts.get("duplicates") or loaded.entries)
        return "" if there else "no entry of this plan is like one there is"

    def lacks_left_out(self) -> str:
        return "" if any(change.dropped for change in self.changes_here) else "this plan leaves nothing out"

    def lacks_flagged(self) -> str:
        flagged = self.loaded is not None and self.loaded.plan.flagged_lines()
        return "" if flagged else "no line of this plan is flagged"

    # Keys that lead to a decision; none of them decides

    def action_ask_approval(self) -> None:
        """Opens the question. It approves nothing: the dialog reads the answer from keys alone."""
        marked = self.queue.state.marked
        if len(marked) > 1:
            self.batching.ask(marked)
        else:
            self.ask()

    def action_ask_rejection(self) -> None:
        """Asks for the reason of a refusal."""
        self.deciding.ask_rejection(self.queue.state.chosen)

    def action_put_off(self) -> None:
        """Asks until when a plan is put off."""
        self.deciding.ask_until(self.queue.state.chosen)

    def action_edit_entry(self) -> None:
        """The plan's semantic entry in the operator's words, as a new plan."""
        if self.loaded is not None:
            self.deciding.edit_entry(self.loaded, self.change)

    def action_beside(self) -> None:
        """A new entry beside the one it may repeat."""
        if self.loaded is not None:
            self.deciding.show_beside(self.loaded, self.change)

    def show_similar(self) -> None:
        """A new entry beside the one it may repeat, over the dialog."""
        if self.loaded is not None:
            self.deciding.show_beside(self.loaded, self.change, over=True)

    def action_hunks(self) -> None:
        """The hunks of the current change, to choose among them."""
        if self.entry is not None and self.loaded is not None:
            self.deciding.show_hunks(self.entry, self.loaded, self._change, self.read_again)

    def action_left_out(self) -> None:
        """The lines that the summary of the current change, or else of any change, did not read."""
        if self.loaded is not None:
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
            self.deck.action_find_here()
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
