"""Shows the plan under the queue's cursor with its head and a diff; reads it once the cursor rests."""

from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from engine.errors import MemdeckError
from tui.present.approvals import consolidations
from tui.present.approvals import plan_head as plans
from tui.present.approvals.change_marks import chosen
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.approvals.plan_sections import PlanChoice, sections
from tui.present.spans import NOTHING_SELECTED, Line, Span, plain
from tui.present.words import text_lines
from tui.screens.approvals.changes_pane import ChangesPane
from tui.screens.approvals.plan_diff import PlanDiff, PlanHead
from tui.screens.approvals.queue_pane import QueuePane
from tui.screens.approvals.selection import PlanSelection
from tui.screens.approvals.viewed_plans import load
from tui.screens.hosted import Hosted, Rest
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem

_SETTLE_SECONDS = 0.04
"""Seconds that the cursor must rest on a plan before it is read, so that holding a key reads none."""
_REST_SECONDS = 0.15
"""Seconds of rest after which the next key reads at once; slow key repeats are faster."""
_PATIENCE_SECONDS = 0.15  # a plan that is read within this time replaces the one before without a word in between


class PlanPane(Hosted, Vertical):
    """Shows head and diff of the selected plan; painted changes count as seen (decision G22)."""

    def __init__(self, selection: PlanSelection, queue_pane: QueuePane) -> None:
        super().__init__(id="right")
        self.selection = selection
        self.changes = ChangesPane(selection, queue_pane, self)
        self._settling, self._in_run, self._leading = Rest(self), False, False
        """`_in_run`: keys follow each other; `_leading`: only the first came."""

    def compose(self) -> ComposeResult:
        yield PlanHead()
        yield PlanDiff(self.look)

    @cached_property
    def head(self) -> PlanHead:
        return self.query_one(PlanHead)

    @cached_property
    def diff(self) -> PlanDiff:
        return self.query_one(PlanDiff)

    # Which plan

    def rested(self, *, moved: bool) -> None:
        """Shows the plan under the cursor at once if it was read or this is the first key, else after a rest."""
        # One key shows its plan without a wait; of a run of keys only the first and the last plan are read.
        first, selection = not self._in_run, self.selection
        self.rested_long()
        shown, loaded = self.diff.on_screen, selection.loaded
        # By its digest: a plan that was made anew under the same id is another one, and starts at its first change.
        if shown is None or loaded is None or shown[0] != loaded.digest:
            plan_id, change = selection.queue.wanted
            selection.index = change if plan_id == selection.queue.selected else 0
            self.diff.on_screen = None
        if selection.entry is None or loaded is not None or not moved:
            self.show_plan()
            return
        self._leading, self._in_run = first, True
        if first:
            self.show_plan()
        self._settling.after(_SETTLE_SECONDS, self.settled)

    def settled(self) -> None:
        """Reads the plan under the cursor after a rest, unless the first key did."""
        self._settling.after(_REST_SECONDS, self.rested_long)
        if not self._leading:
            self.show_plan()

    def rested_long(self) -> None:
        """Makes the next key count as a first one."""
        self._settling.stop()
        self._in_run = False

    def show_plan(self) -> None:
        """Shows the plan under the cursor, and reads it first if necessary."""
        entry, loaded = self.selection.entry, self.selection.loaded
        if self.selection.queue.item is not None:
            self._show_item(self.selection.queue.item)
        elif entry is None:
            self._show_nothing()
        elif loaded is None:
            plan_id, self.selection.unread = entry.id, ""
            self.set_timer(_PATIENCE_SECONDS, lambda: self.show_reading(plan_id))
            self.deck.bridge.read(lambda engine: load(engine, plan_id), self._took, self._could_not)
            return  # what keys do now is said with what they are about
        else:
            self.selection.go(self.selection.index)
            self.show_head()
            self.show_change()
        self.screen.refresh_bindings()

    def read_again(self) -> None:
        if self.selection.entry is not None:
            self.selection.desk.forget(self.selection.entry.id)
            self.diff.on_screen = None
            self.show_plan()

    def _took(self, loaded: LoadedPlan) -> None:
        self.selection.desk.keep(loaded)
        if loaded.plan.id == self.selection.queue.selected and self.diff.on_screen is None:
            if self.selection.loaded is None:
                self._could_not(
                    MemdeckError("the plan in the queue is not the plan that was read", hint="wait a moment")
                )
            else:
                self.show_plan()

    def _could_not(self, error: MemdeckError) -> None:
        if (entry := self.selection.entry) is not None:
            self.selection.unread = entry.id
            why = (Span("✗ this plan cannot be read", "blocked"),)
            self.head.show_head(plans.title(entry, self.deck.now()), (why,))
        self._tell("not read", *plans.unread(error))
        self.screen.refresh_bindings()

    def _show_item(self, item: "ConsolidationItem") -> None:
        self.head.show_head(consolidations.title(item), consolidations.head_lines(item))
        self._tell("not made by a plan", *consolidations.waiting_lines(item))

    def _show_nothing(self) -> None:
        self.head.show_head((Span("Plan", "title"),), NOTHING_SELECTED)
        state = self.selection.queue
        words = text_lines("no_plan") if state.read and state.empty else NOTHING_SELECTED
        self._tell(plain(NOTHING_SELECTED[0]), *words)

    def show_reading(self, plan_id: str) -> None:
        """Says that a plan is being read, if that takes noticeably long."""
        entry = self.selection.entry
        if entry is not None and entry.id == plan_id != self.selection.unread and self.selection.loaded is None:
            self.head.show_head(plans.title(entry, self.deck.now()), ((Span("reading the plan…", "muted"),),))
            self._tell("reading…", (Span("reading…", "muted"),))
            self.screen.refresh_bindings()

    def _tell(self, why_no_changes: str, *lines: Line) -> None:
        self.changes.show_none(why_no_changes)
        self.diff.tell(*lines)

    # What of it

    def show_head(self) -> None:
        entry, loaded = self.selection.entry, self.selection.loaded
        if entry is not None and loaded is not None:
            standing = plans.PlanProgress(
                self.selection.desk.operations.get(entry.id),
                self.deck.running.get(entry.id, ""),
                self.deck.failed_plans.get(entry.id),
            )
            marks = self.selection.marks
            given = entry, marks, standing
            lines = loaded.shown("head", given, lambda: plans.head(entry, loaded, chosen(loaded.plan, marks), standing))
            self.head.show_head(plans.title(entry, self.deck.now()), lines, keep_place=True)

    def show_change(self) -> None:
        """Shows the diff of the current change, seen once painted; a whole plan on screen stays."""
        loaded, entry = self.selection.loaded, self.selection.entry
        self.changes.show_changes()
        if loaded is None or not loaded.plan.changes:
            self.diff.tell((Span("this plan changes nothing", "muted"),))
            return
        if self.diff.shows_whole(loaded):
            self.name_whole(loaded)
        else:
            state = plans.not_open(entry) if entry else ()
            self.diff.show_change(loaded, self.selection.index, self.selection.marks, state)
        self.deck.show_crumbs()
        # After the paint: a diff counts as seen only where it was on screen (decision G22).
        self.call_after_refresh(self.look)

    def show_whole(self, number: int, *, at_change: bool = False) -> None:
        """Shows all changes that an approval would cover, from that of `number` on, or its first changed line."""
        loaded, asked = self.selection.loaded, self.selection.asked
        if loaded is None or not loaded.plan.changes:
            return
        marks = self.selection.marks
        numbers = asked.numbers if asked is not None else chosen(loaded.plan, marks)
        self.diff.show_whole(loaded, sections([PlanChoice(loaded, numbers, marks)]), number)
        if at_change:
            self.diff.go_change(self.diff.section_of(number))
        self.name_whole(loaded)
        self.call_after_refresh(self.look)

    def show_one(self) -> None:
        if self.diff.shows_whole(self.selection.loaded):
            self.diff.on_screen = None
            self.show_change()

    def name_whole(self, loaded: LoadedPlan) -> None:
        """Shows how many of the changes to approve were seen."""
        numbers = self.selection.desk.chosen(loaded)
        self.diff.name_whole(len(self.selection.desk.seen(loaded).intersection(numbers)), len(numbers))

    def look(self) -> None:
        """Notes the visible diffs as seen, if nothing covers them."""
        loaded = self.selection.loaded
        if loaded is None or not self.in_sight(loaded):
            return
        news = [self.selection.desk.saw(loaded, look) for look in self.diff.looks(loaded)]
        if any(news):
            self.changes.show_changes()
            self.screen.refresh_bindings()
            if self.diff.shows_whole(loaded):
                self.name_whole(loaded)
            self.deck.flows.approvals.looked()

    def in_sight(self, loaded: LoadedPlan | None) -> bool:
        """Tells whether the operator can see the diff; of a plan that is asked about its whole text."""
        if not self.query_ancestor(Page).display or not self.diff.shows_of(loaded):
            return False
        if self.selection.asked is None:
            return self.screen.is_current
        return self.diff.shows_whole(loaded) and self.deck.flows.approvals.asks

    # The whole text

    @on(DiffView.ViewChanged)
    def _view_changed(self, event: DiffView.ViewChanged) -> None:
        """Moves the cursor of the list to the change at the top of the text."""
        event.stop()
        selection, top = self.selection, self.diff.top
        loaded = selection.loaded
        if loaded is not None and self.diff.shows_whole(loaded) and top is not None:
            if selection.number not in top.numbers:
                selection.index = next(at for at, change in enumerate(selection.changes) if change.n == top.numbers[0])
                self.changes.show_changes()
                self.deck.show_crumbs()
            self.name_whole(loaded)
        self.call_after_refresh(self.look)

    @on(DiffView.PastEnd)
    def _past_end(self, event: DiffView.PastEnd) -> None:
        """Goes on to the next or previous change at an end of the text."""
        event.stop()
        if not self.diff.shows_whole(self.selection.loaded):
            self.show_whole(self.selection.number)
            self.changes.action_turn(event.by)

    @on(DiffView.SourceWanted)
    def _source(self, event: DiffView.SourceWanted) -> None:
        event.stop()
        moving = self.selection.moving
        if event.span is None and moving:
            self.deck.flows.readers.show_note(moving)
        else:
            self.deck.flows.readers.show_source(event.span)

    @property
    def open_words(self) -> str:
        opens = self.diff.opens
        return "Show" if opens == "fold" or (not opens and self.selection.moving) else ""

    def lacks_source(self) -> str:
        return "" if self.diff.opens or self.selection.moving else "this line came from no other file"
