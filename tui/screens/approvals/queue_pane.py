"""Shows the queue as a pane with a cursor, the filter below, and the keys that mark plans."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from engine.plans.plan import OPEN_STATES, PlanState, QueueEntry
from tui.present.approvals import queue_filter, queue_rows
from tui.present.approvals.plan_head import state_words
from tui.present.approvals.queue_state import QueueState
from tui.present.words import noun
from tui.screens.approvals.plan_actions import PlanActions
from tui.screens.hosted import Hosted
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem


class QueueList(LineList, scope="queue"):
    """The rows of the queue, with the keys that mark plans."""

    @dataclass
    class MarkWanted(Message):
        """Asks to mark a plan, or with `all_of_them` all plans on screen."""

        all_of_them: bool

    def action_mark_plan(self) -> None:
        self.post_message(self.MarkWanted(all_of_them=False))

    def action_mark_all(self) -> None:
        self.post_message(self.MarkWanted(all_of_them=True))


class QueuePane(Hosted, Vertical):
    """Shows its `state`, and says when another plan is under the cursor."""

    @dataclass
    class Rested(Message):
        """Says that the plan under the cursor or its state changed; `moved` by a key that may be held."""

        moved: bool

    class RejectionWanted(Message):
        """Something is to be refused."""

    def __init__(self) -> None:
        super().__init__(id="queue-pane")
        self.state = QueueState()
        self._expected = ""

    def compose(self) -> ComposeResult:
        yield QueueList(ident="queue", empty="reading the queue…")
        yield FilterField(queue_filter.HELP, ident="filter", of="queue")

    @cached_property
    def deciding(self) -> PlanActions:
        return PlanActions(self.deck, self.expect, self.state.decided)

    @cached_property
    def _list(self) -> QueueList:
        return self.query_one("#queue", QueueList)

    @cached_property
    def _field(self) -> FilterField:
        return self.query_one("#filter", FilterField)

    # What comes from outside

    def take(self, entries: tuple[QueueEntry, ...]) -> None:
        """Shows the queue as read again."""
        first = not self.state.read
        before = self.state.entry, self.state.item
        self.state.take(entries, self.deck.now())
        if self._expected and any(entry.id == self._expected for entry in self.state.shown):
            self.state.selected, self._expected = self._expected, ""
        self.show()
        if first or (self.state.entry, self.state.item) != before:
            self.post_message(self.Rested(moved=False))

    def take_items(self, items: "tuple[ConsolidationItem, ...]") -> None:
        """Shows the consolidations as read again."""
        before = self.state.entry, self.state.item
        self.state.take_items(items, self.deck.now())
        self.show()
        if self.state.read and (self.state.entry, self.state.item) != before:
            self.post_message(self.Rested(moved=False))

    def find(self, plan_id: str) -> None:
        """Puts the cursor on a plan, and removes a filter that hides it."""
        self.state.find(plan_id, self.deck.now())
        self.show()
        self.post_message(self.Rested(moved=False))

    def expect(self, plan_id: str, change: int = 0) -> None:
        """Puts the cursor on a plan once it is there, and shows the change at this place of it."""
        self._expected, self.state.wanted = plan_id, (plan_id, change)

    def show(self) -> None:
        lines = self._list
        lines.show_empty(self.state.empty_words())
        lines.show(self.state.rows(self.deck.now(), self.deck.running), self.state.index)
        lines.name_it(self.state.title(), self.state.foot())

    # Keys

    def lacks_unapplied(self) -> str:
        entry = self.state.entry
        return f"wait: {entry.id} is being applied" if entry is not None and entry.id in self.deck.running else ""

    def lacks_rejectable(self) -> str:
        return self._lacks_state(frozenset(state for state in PlanState if state.value in queue_rows.REJECTABLE))

    def lacks_snoozable(self) -> str:
        return self._lacks_state(OPEN_STATES | {PlanState.STALE})

    def _lacks_state(self, able: Collection[PlanState]) -> str:
        """Says why the state of the plan forbids an action; empty if allowed, or if plans are marked."""
        entry = self.state.entry
        if entry is None or len(self.state.chosen) > 1 or entry.state in able:
            return ""
        return f"{entry.id} is over: {state_words(entry, self.deck.now())}"

    def action_ask_rejection(self) -> None:
        self.post_message(self.RejectionWanted())

    def action_next_plan(self, by: int) -> None:
        """Goes to the next or the previous plan, whichever pane has the focus."""
        self._list.action_move(by)

    def action_put_off(self) -> None:
        self.deciding.ask_until(self.state.chosen)

    def lacks_markable_plan(self) -> str:
        entry = self.state.entry
        return queue_rows.nothing_to_mark(entry) if entry is not None and not queue_rows.can_be_marked(entry) else ""

    @on(LineList.Moved, "#queue")
    def _moved(self, event: LineList.Moved) -> None:
        self.state.select(event.index)
        self.post_message(self.Rested(moved=True))

    @on(QueueList.MarkWanted)
    def _mark(self, event: QueueList.MarkWanted) -> None:
        event.stop()
        if event.all_of_them:
            marked = self.state.mark_all()
            self.deck.say(f"{noun(marked, 'plan')} marked" if marked else "no plan is marked")
        elif self.state.toggle_mark():
            self.state.step()
            self.post_message(self.Rested(moved=True))
        self.show()
        self.screen.refresh_bindings()

    def unmark(self) -> bool:
        if had := self.state.unmark():
            self.show()
        return had

    def action_order(self) -> None:
        self.state.next_order(self.deck.now())
        self.show()

    def action_show_put_off(self) -> None:
        if not self.state.put_off:
            self.deck.say("no plan is snoozed; p snoozes one")
            return
        self.state.with_put_off = not self.state.with_put_off
        self._arrange()

    def _arrange(self) -> None:
        before = self.state.entry, self.state.item
        self.state.arrange(self.deck.now())
        self.show()
        if (self.state.entry, self.state.item) != before:
            self.post_message(self.Rested(moved=True))

    # The filter

    def open_filter(self) -> None:
        self._field.open(self.state.filter)

    def close_filter(self, *, clear: bool) -> bool:
        """Closes the field, with `clear` also removes the filter; tells whether there was anything to close."""
        was = self._field.close() or (clear and bool(self.state.filter))
        if clear and self.state.filter:
            self.state.filter = ""
            self._arrange()
        return was

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        if self._field.has_class("shown") and event.value != self.state.filter:
            self.state.filter = event.value
            self._arrange()
