"""All changes of a plan as one text, and the dialog that asks about them, which stands below it (decision G22)."""

from textual import on
from textual.geometry import Region

from tui.dialogs.behind import Shown
from tui.present.approvals.marks import chosen
from tui.present.approvals.plan_text import PlanChoice, gravest, sections
from tui.screens.approvals.panes import ApprovalsPanes
from tui.widgets.diff_view import DiffView


class WholePlanPanes(ApprovalsPanes):
    """Pages through the whole plan, and gives way to the dialog below it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_from = "queue"
        """The pane in which the question was asked for, to which its answer leads back."""

    def show_whole(self, number: int, *, at_change: bool = False) -> None:
        """All changes that an approval would cover, one below the other; that of `number` stands at the top.

        `at_change`: its first changed line does, with what stands around it.
        """
        loaded = self.loaded
        if loaded is None or not loaded.plan.changes:
            return
        marks = self.marks(loaded)
        self.plan.show_whole(loaded, sections([PlanChoice(loaded, chosen(loaded.plan, marks), marks)]), number)
        if at_change:
            self.plan.diff.go_change(self.plan.section_of(number))
        self.name_whole(loaded)
        self.call_after_refresh(self.look)

    def show_one(self) -> None:
        """The current change by itself again."""
        loaded = self.loaded
        if loaded is not None and self.plan.whole(loaded):
            self.plan.on_screen = None
            self.show_change(loaded)

    @on(DiffView.ViewChanged)
    def _view_changed(self, event: DiffView.ViewChanged) -> None:
        """The list of changes follows the text."""
        event.stop()
        loaded, view = self.loaded, self.plan.in_view
        if loaded is None or not self.plan.whole(loaded) or not view:
            return
        numbers = view[0].numbers
        if self.change not in numbers:
            self._change = next(at for at, change in enumerate(loaded.plan.changes) if change.n == numbers[0])
            self.show_changes(loaded)
            self.deck.show_crumbs()
        self.name_whole(loaded)
        self.call_after_refresh(self.look)

    def read_on(self) -> None:
        """A page further in the whole plan, which follows on the change that is shown."""
        if not self.plan.whole(self.loaded):
            self.show_whole(self.change)
        self.plan.diff.action_page(1)

    @on(DiffView.PastEnd)
    def _past_end(self, event: DiffView.PastEnd) -> None:
        """Goes on with the changes after this one, or before it."""
        event.stop()
        if not self.plan.whole(self.loaded):
            self.show_whole(self.change)
            self.turn(event.by)

    # The dialog that asks, which stands below the diff

    def give_way(self, rows: int) -> Region:
        """Leaves the last lines of the plan's column free; on first asking shows the whole plan, the gravest first."""
        asking, loaded = rows > 0, self.loaded
        self.plan.styles.padding = (0, 0, rows, 0)
        if asking and not self.has_class("asking") and loaded is not None:
            self.add_class("asking")
            self.call_after_refresh(self.show_whole, gravest(loaded, self.desk.chosen(loaded)), at_change=True)
        elif not asking and self.has_class("asking"):
            self.remove_class("asking")
            self.show_one()
            self.turn_to(self.asked_from)
        return self.plan.region

    def shown(self) -> Shown:
        """Counts the changes asked about that were on screen (decision G22)."""
        loaded = self.loaded
        if loaded is None:
            return Shown(0, 0)
        numbers = self.desk.chosen(loaded)
        seen = len(self.desk.seen(loaded).intersection(numbers))
        return Shown(seen, len(numbers), self.desk.unseen(loaded, numbers), self.desk.how_shown(loaded, numbers))

    def scroll_behind(self, key: str) -> None:
        """Keys that a dialog passes on, so that the diff stays readable above it."""
        match key:
            case "left" | "right":
                self.turn(1 if key == "right" else -1)
            case "up" | "down":
                self.plan.diff.action_move(1 if key == "down" else -1)
            case _:
                self.plan.diff.action_page(1 if key == "pagedown" else -1)
