"""Shows the changes of the selected plan as a pane, and opens views about one of them."""

from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from engine.plans.plan import OPEN_STATES
from tui.present.approvals import plan_head as plans
from tui.present.approvals import queue_rows as queue
from tui.present.approvals.plan_head import state_words
from tui.present.spans import ListRows, Span
from tui.screens.approvals.selection import PlanSelection
from tui.screens.hosted import Hosted
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import LinePlace

if TYPE_CHECKING:
    from tui.screens.approvals.plan_pane import PlanPane
    from tui.screens.approvals.queue_pane import QueuePane


class ChangesPane(Hosted, LineList):
    """A row for each change, with its mark and whether it was viewed."""

    class DiffWanted(Message):
        """Asks to bring the diff to the front."""

    def __init__(self, selection: PlanSelection, queue: "QueuePane", plan: "PlanPane") -> None:
        super().__init__(ident="changes", empty="reading…")
        self._selection, self._queue, self._plan = selection, queue, plan

    def show_changes(self) -> None:
        selection, loaded, entry = self._selection, self._selection.loaded, self._selection.entry
        if loaded is None:
            return
        marks, seen, over = selection.marks, selection.desk.seen(loaded), selection.is_over
        self.show_empty("no change")
        rows = loaded.shown("rows", (marks, seen, over), lambda: plans.ChangeRows(loaded, marks, seen, over=over))
        self.show(rows, selection.index)
        if entry is not None:
            foot = plans.changes_foot(entry, loaded, marks, seen, read_only=self.deck.read_only)
            self.name_it(plans.changes_title(loaded, selection.index), foot)

    def show_none(self, why: str) -> None:
        self.name_it((Span("Changes", "title"),))
        self.show_empty(why)
        self.show(ListRows())

    # From change to change

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self._go(event.index)

    def _go(self, index: int) -> None:
        self._selection.go(index)
        if self._plan.diff.shows_whole(self._selection.loaded):
            self._plan.diff.on_screen = None
        self._plan.show_change()

    def action_turn(self, by: int) -> None:
        """Goes to the next or previous change; in the whole plan, scrolls to it."""
        diff = self._plan.diff
        if diff.shows_whole(self._selection.loaded):
            diff.go_section(diff.section_at_top + by)
        elif self._selection.loaded is not None:
            self._go(self._selection.index + by)

    def action_flagged(self, by: int) -> None:
        """Goes to the next or previous flagged line of the plan, in whichever change."""
        if self._in_diff:
            self._to_flag(by)
        else:
            self.post_message(self.DiffWanted())
            self.call_after_refresh(self._to_flag, by)  # a pane that was hidden has its lines by then

    def _to_flag(self, by: int) -> None:
        selection, diff = self._selection, self._plan.diff
        if selection.loaded is None or diff.go_flagged(by):
            return
        steps = range(selection.index + by, len(selection.changes) if by > 0 else -1, by)
        flagged = next((index for index in steps if selection.loaded.is_flagged(index)), None)
        if flagged is None:
            self.deck.say("no further flagged line in this plan")
            return
        self.action_turn(flagged - selection.index)
        self.call_after_refresh(diff.go_flagged, by, fresh=True)

    @property
    def _in_diff(self) -> bool:
        return self._plan.diff.has_class("current")

    def action_mark(self) -> None:
        """Marks the current change; once some are marked, only those are approved."""
        selection, loaded = self._selection, self._selection.loaded
        if loaded is not None:
            if explanation := selection.desk.toggle(loaded, selection.number):
                self.deck.say(explanation)
            self._plan.show_head()
            self._plan.show_change()

    # What keys need

    def lacks_other_change(self) -> str:
        return "" if len(self._selection.changes) > 1 else "this plan has no other change"

    def lacks_markable(self) -> str:
        selection, entry = self._selection, self._selection.entry
        over = queue.nothing_to_mark(entry) if entry is not None and selection.is_over else ""
        return selection.absence() or self.lacks_change() or over

    def lacks_flagged(self) -> str:
        loaded = self._selection.loaded
        there = loaded is not None and any(map(loaded.is_flagged, range(len(loaded.diffs))))
        return "" if there else "no line of this plan is flagged"

    def lacks_change(self) -> str:
        return "" if self._selection.changes else "this plan changes nothing"

    def lacks_entry(self) -> str:
        entry, loaded = self._selection.entry, self._selection.loaded
        if entry is not None and entry.state not in OPEN_STATES:
            return f"{entry.id} can't be edited: {state_words(entry, self.deck.now())}"
        editable = loaded is not None and any(planned.text is not None for planned in loaded.entries)
        return "" if editable else "this plan has no semantic entry to edit"

    def lacks_open(self) -> str:
        entry = self._selection.entry
        over = entry is not None and entry.state not in OPEN_STATES
        return f"{entry.id} is {state_words(entry, self.deck.now())}" if entry is not None and over else ""

    def lacks_similar(self) -> str:
        loaded = self._selection.loaded
        there = loaded is not None and (loaded.plan.facts.get("duplicates") or loaded.entries)
        return "" if there else "no entry of this plan is like one there is"

    def lacks_left_out(self) -> str:
        return "" if self._drops or self._noted_line else "this plan leaves nothing out"

    @property
    def _noted_line(self) -> LinePlace | None:
        return self._plan.diff.noted_line if self._plan.diff.has_focus else None

    @property
    def _drops(self) -> bool:
        return any(change.dropped for change in self._selection.changes)

    @property
    def left_out_words(self) -> str:
        return "" if self._drops else "Forget a line…"

    # Keys

    def action_decide(self, what: str, **how: bool) -> None:
        """Calls the method `what` of `PlanActions` with the current change."""
        if self._selection.loaded is not None:
            getattr(self._queue.deciding, what)(self._selection.loaded, self._selection.number, **how)

    def action_refuse(self) -> None:
        """Refuses the marked changes; where none is, the current one, or in its diff the hunk under the cursor."""
        loaded, marks = self._selection.loaded, self._selection.marks
        row = self._plan.diff.row if self._in_diff and not marks else None
        if loaded is not None:
            self._queue.deciding.refuse(loaded, marks or {self._selection.number}, self._selection.index, row)

    def action_hunks(self) -> None:
        entry, loaded = self._selection.entry, self._selection.loaded
        if entry is not None and loaded is not None:
            self._queue.deciding.show_hunks(entry, loaded, self._selection.index, self._plan.read_again)

    def action_left_out(self) -> None:
        """Shows what a plan omits; if it omits nothing, forgets the line under the cursor."""
        line = self._noted_line
        if not self._drops and line is not None and self.deck.may_write():
            self.deck.flows.dry_runs.forget(line)
        else:
            self.action_decide("show_left_out")

    def action_report(self) -> None:
        if self._selection.loaded is not None:
            self.deck.flows.readers.show_report(self._selection.loaded.plan)
