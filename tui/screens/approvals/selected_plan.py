"""The plan under the queue's cursor: read once the cursor rests, and shown change by change."""

from typing import TYPE_CHECKING

from textual import on

from engine.errors import MemdeckError
from tui.bridge.facts import ConsolidationsRead, OperationsRead, PlanExpected, QueueRead, TimePassed
from tui.present import diff as diffs
from tui.present.approvals import plan as plans
from tui.present.approvals.marks import chosen
from tui.present.approvals.plan import LoadedPlan
from tui.present.spans import NOTHING_SELECTED, Line, ListRows, Span, plain
from tui.screens.approvals.panes import ApprovalsPanes
from tui.screens.approvals.queue_pane import QueuePane
from tui.screens.approvals.state import load
from tui.screens.page import Place, PlanPlace
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem

_SETTLE_SECONDS = 0.04
"""After one plan was read at once, the next is read when the cursor rests on it this long: running down reads none."""
_REST_SECONDS = 0.15
"""A key this long after the cursor came to rest is a first one: slow repeats would else read at every key."""
_PATIENCE_SECONDS = 0.15
"""A plan that is read within this time replaces the one before without a word in between."""
_WELCOME: tuple[Line, ...] = (
    (),
    (Span("No plan yet.", "strong"),),
    (),
    (
        Span(f"{'d':<{diffs.LABEL}}", "key"),
        Span("makes a dry run: memdeck reads the memory and plans what should change."),
    ),
    (Span(" " * diffs.LABEL), Span("You see every line of it here. Nothing is written until you approve.", "muted")),
    (Span(f"{'ctrl+a':<{diffs.LABEL}}", "key"), Span("approves a plan, after you looked at its diff.")),
    (Span(f"{'z':<{diffs.LABEL}}", "key"), Span("undoes what was applied, byte for byte.")),
)


class SelectedPlan(ApprovalsPanes):
    """Shows head, changes and diff of one plan; what was painted counts as seen (decision G22)."""

    def return_to(self, spot: str) -> None:
        """To the plan, the change of it and the pane where one was, as far as they are still there."""
        pane, number, plan_id = spot.split(" ", 2)
        if plan_id and plan_id != self.queue.state.selected:
            self._return = (plan_id, int(number))
            self.queue.find(plan_id)
        else:
            self.turn(int(number) - self._change)
        self.turn_to(pane)

    def enter(self) -> None:
        """The page came to the front: what told of a plan has done its work."""
        super().enter()
        self.deck.clear_notifications()

    def on_mount(self) -> None:
        follow = self.deck.facts.follow
        follow(OperationsRead, self._took_operations)
        follow(ConsolidationsRead, lambda read: self.queue.take_items(read.items))
        follow(QueueRead, self._took_queue)
        follow(PlanExpected, self._expect)
        follow(TimePassed, self._show_ages)

    def show(self, wanted: Place) -> bool:
        """Puts the cursor on a plan; where the filter hides it, the filter goes."""
        if isinstance(wanted, PlanPlace):
            self.queue.find(wanted.plan)
        return isinstance(wanted, PlanPlace)

    def _expect(self, expected: PlanExpected) -> None:
        """Puts the cursor on a plan once it is there, unless the operator is looking at another right now."""
        if not self.display:
            self.queue.expect(expected.plan)

    def _took_operations(self, read: OperationsRead) -> None:
        self.desk.take_operations(read.operations)
        self.show_head()

    def _took_queue(self, read: QueueRead) -> None:
        self.queue.take(read.entries)
        self.show_head()

    def _show_ages(self, _: TimePassed) -> None:
        self.queue.show()
        self.show_head()

    @on(QueuePane.Rested)
    def _rested(self, event: QueuePane.Rested) -> None:
        """Shows the plan under the cursor: now if it was read or this is the first key, else once the cursor rests."""
        event.stop()
        # One key shows its plan without a wait; of a run of keys only the first and the last plan are read.
        first = self._settling is None
        if self._settling is not None:
            self._settling.stop()
            self._settling = None
        shown, loaded = self.plan.on_screen, self.loaded
        # By its digest: a plan that was made anew under the same id is another one, and starts at its first change.
        if shown is None or loaded is None or shown[0] != loaded.digest:
            plan_id, change = self._return
            self._change = change if plan_id == self.queue.state.selected else 0
            self._return, self.plan.on_screen = ("", 0), None
        if self.entry is None or self.loaded is not None or not event.moved:
            self.show_plan_here()
            return
        self._leading = first
        if first:
            self.show_plan_here()
        self._settling = self.set_timer(_SETTLE_SECONDS, self._settled)

    def _settled(self) -> None:
        """The cursor rests; where more than one key brought it here, the plan under it is read now."""
        self._settling = self.set_timer(_REST_SECONDS, self._rested_long)
        if not self._leading:
            self.show_plan_here()

    def _rested_long(self) -> None:
        """The next key is a first one again."""
        self._settling = None

    def show_plan_here(self) -> None:
        """Shows the plan under the cursor; reads it first, where it was not read yet."""
        entry, loaded = self.entry, self.loaded
        if self.queue.state.item is not None:
            self._show_item(self.queue.state.item)
        elif entry is None:
            self._show_nothing()
        elif loaded is None:
            plan_id, self._unread = entry.id, ""
            self.set_timer(_PATIENCE_SECONDS, lambda: self._show_reading(plan_id))
            self.deck.bridge.read(lambda engine: load(engine, plan_id), self._took, self._could_not, group="plan")
            return  # what keys do now is said with what they are about
        else:
            self._change = max(0, min(self._change, len(loaded.plan.changes) - 1))
            self.show_head()
            self.show_changes(loaded)
            self.show_change(loaded)
        self.screen.refresh_bindings()

    def read_again(self) -> None:
        """Reads the plan under the cursor again, since its comments changed."""
        if self.entry is not None:
            self.desk.forget(self.entry.id)
            self.plan.on_screen = None
            self.show_plan_here()

    def _took(self, loaded: LoadedPlan) -> None:
        self.desk.keep(loaded)
        if loaded.plan.id == self.queue.state.selected and self.plan.on_screen is None:
            if self.loaded is None:
                self._could_not(
                    MemdeckError("the plan in the queue is not the plan that was read", hint="wait a moment")
                )
            else:
                self.show_plan_here()

    def _could_not(self, error: MemdeckError) -> None:
        entry = self.entry
        if entry is not None:
            self._unread = entry.id
            failed: Line = (Span("✗ this plan cannot be read", "blocked"),)
            self.plan.show_head(plans.title(entry, self.deck.now()), (failed,))
        self._show_no_changes("not read")
        self.plan.say(*plans.unread(error))
        self.screen.refresh_bindings()

    def _show_item(self, item: "ConsolidationItem") -> None:
        """Shows what another tool consolidated, in the place of a plan."""
        from tui.present.approvals import consolidations

        self.plan.show_head(consolidations.title(item), consolidations.head_lines(item))
        self._show_no_changes("not made by a plan")
        self.plan.say(*consolidations.waiting_lines(item))

    def _show_nothing(self) -> None:
        self.plan.show_head((Span("Plan", "title"),), NOTHING_SELECTED)
        self._show_no_changes(plain(NOTHING_SELECTED[0]))
        state = self.queue.state
        self.plan.say(*_WELCOME if state.read and state.empty else NOTHING_SELECTED)

    def _show_no_changes(self, why: str) -> None:
        self.changes.name_it((Span("Changes", "title"),))
        self.changes.show_empty(why)
        self.changes.show(ListRows())

    def _show_reading(self, plan_id: str) -> None:
        """Says that a plan is being read, where that takes long enough to be noticed."""
        entry = self.entry
        if entry is not None and entry.id == plan_id != self._unread and self.loaded is None:
            self.plan.show_head(plans.title(entry, self.deck.now()), ((Span("reading the plan…", "muted"),),))
            self._show_no_changes("reading…")
            self.plan.say((Span("reading…", "muted"),))
            self.screen.refresh_bindings()

    def show_head(self) -> None:
        entry, loaded = self.entry, self.loaded
        if entry is not None and loaded is not None:
            standing = plans.PlanProgress(
                self.desk.operations.get(entry.id),
                self.deck.running.get(entry.id, ""),
                self.deck.failed_plans.get(entry.id),
            )
            lines = plans.head(entry, loaded, chosen(loaded.plan, self.marks(loaded)), standing)
            self.plan.show_head(plans.title(entry, self.deck.now()), lines, keep_place=True)

    def show_changes(self, loaded: LoadedPlan) -> None:
        marks, seen, entry = self.marks(loaded), self.desk.seen(loaded), self.entry
        self.changes.show_empty("no change")
        self.changes.show(plans.ChangeRows(loaded, marks, seen, over=self._over), self._change)
        if entry is not None:
            foot = plans.changes_foot(entry, loaded, marks, seen, read_only=self.deck.read_only)
            self.changes.name_it(plans.changes_title(loaded, self._change), foot)

    @property
    def _over(self) -> bool:
        return self.entry is not None and plans.over(self.entry)

    def marks(self, loaded: LoadedPlan) -> frozenset[int]:
        """The changes that are marked; of a plan that is over those that were approved, unless all were."""
        if not self._over:
            return self.desk.marks(loaded)
        # All of them marked would say nothing; some of them say which were chosen.
        approved = frozenset(self._applied(loaded.plan.id))
        return approved if len(approved) < len(loaded.plan.changes) else frozenset()

    def show_change(self, loaded: LoadedPlan) -> None:
        """The diff of the current change; once it is painted it counts as seen. The whole plan stays where it is."""
        if not loaded.plan.changes:
            self.plan.say((Span("this plan changes nothing", "muted"),))
            return
        if self.plan.whole(loaded):
            self.name_whole(loaded)
        else:
            entry = self.entry
            self.plan.show_change(loaded, self._change, self.marks(loaded), plans.not_open(entry) if entry else ())
        self.deck.show_crumbs()
        # After the paint: a diff counts as seen only where it was on screen (decision G22).
        self.call_after_refresh(self.look)

    def look(self) -> None:
        """Notes the diffs on screen as seen, if they really are on screen."""
        loaded = self.loaded
        if loaded is None or not self.diff_on_screen or not self.in_sight:
            return
        news = [self.desk.saw(loaded, look) for look in self.plan.looks(loaded)]
        if any(news):
            self.show_changes(loaded)
            self.screen.refresh_bindings()
            if self.plan.whole(loaded):
                self.name_whole(loaded)
            self.deck.flows.approvals.looked()

    def name_whole(self, loaded: LoadedPlan) -> None:
        """Names the whole plan by what is at its top, and says how much of it was on screen."""
        numbers = self.desk.chosen(loaded)
        self.plan.name_whole(len(self.desk.seen(loaded).intersection(numbers)), len(numbers))

    @on(LineList.Moved, "#changes")
    def _moved_in_changes(self, event: LineList.Moved) -> None:
        self._change = event.index
        if self.plan.whole(self.loaded):
            self.plan.on_screen = None
        self._refresh_change()

    def _refresh_change(self) -> None:
        loaded = self.loaded
        if loaded is not None:
            self.show_changes(loaded)
            self.show_change(loaded)

    def turn(self, by: int) -> None:
        """To the next or previous change."""
        if self.plan.whole(self.loaded):
            self.plan.diff.go_section(self.plan.diff.section_at_top + by)
        elif self.loaded is not None:
            self._change = max(0, min(self._change + by, len(self.loaded.plan.changes) - 1))
            self._refresh_change()

    def turn_to(self, name: str) -> None:
        super().turn_to(name)
        self.call_after_refresh(self._arranged)

    def _arranged(self) -> None:
        """The panes have their places: what can be approved is what can be seen, and the hints say so."""
        self.plan.fit_head()
        self.look()
        self.screen.refresh_bindings()
