"""All changes of a plan as one text, and the dialog that asks about them, which stands below it (decision G22)."""

from typing import NamedTuple

from textual import on
from textual.geometry import Region

from tui.dialogs.behind import Shown
from tui.present.approvals.marks import chosen
from tui.present.approvals.plan import LoadedPlan
from tui.present.approvals.plan_text import PlanChoice, gravest, sections
from tui.screens.approvals.selected_plan import SelectedPlan
from tui.widgets.diff_view import DiffView


class Asked(NamedTuple):
    """The plan that a dialog asks about, and the pane in which it was asked for, to which the answer leads back."""

    loaded: LoadedPlan
    numbers: tuple[int, ...]
    pane: str


class WholePlanPanes(SelectedPlan):
    """Pages through the whole plan, and gives way to the dialog below it."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: Asked | None = None
        """The question that is open about a plan."""

    @property
    def loaded(self) -> LoadedPlan | None:
        """The plan that is asked about, whatever the queue's cursor does meanwhile; else the one under the cursor."""
        return self._asked.loaded if self._asked is not None else super().loaded

    @property
    def in_sight(self) -> bool:
        """As long as a plan is asked about, its whole text is what counts, with the dialog alone over the page."""
        if self._asked is None:
            return super().in_sight
        return self.plan.whole(self.loaded) and self.deck.flows.approvals.asks

    def ask(self) -> None:
        """Opens the question about the plan under the cursor. It approves nothing: the dialog reads the answer."""
        entry, loaded = self.entry, self.loaded
        if entry is None or loaded is None:
            return
        self._asked = Asked(loaded, self.desk.chosen(loaded), self.current)
        self.turn_to("diff")
        self.deck.flows.approvals.ask(entry, loaded, self._asked.numbers, self)

    def show_whole(self, number: int, *, at_change: bool = False) -> None:
        """All changes that an approval would cover, one below the other; that of `number` stands at the top.
        `at_change`: its first changed line does, with what stands around it."""
        loaded = self.loaded
        if loaded is None or not loaded.plan.changes:
            return
        marks = self.marks(loaded)
        numbers = self._asked.numbers if self._asked is not None else chosen(loaded.plan, marks)
        self.plan.show_whole(loaded, sections([PlanChoice(loaded, numbers, marks)]), number)
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
        loaded, top = self.loaded, self.plan.top
        if loaded is not None and self.plan.whole(loaded) and top is not None:
            if self.change not in top.numbers:
                self._change = next(at for at, one in enumerate(loaded.plan.changes) if one.n == top.numbers[0])
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
        asking, asked = rows > 0, self._asked
        self.plan.styles.padding = (0, 0, rows, 0)
        if asking and asked is not None and not self.has_class("asking"):
            self.add_class("asking")
            first = gravest(asked.loaded, asked.numbers)
            self.call_after_refresh(self.show_whole, first, at_change=True)
        elif not asking and asked is not None and self.has_class("asking"):
            self._answered(asked)
        return self.plan.region

    def _answered(self, asked: Asked) -> None:
        """The question is over: the page is as it was, with the plan under the cursor."""
        self.remove_class("asking")
        self.show_one()
        self._asked = None
        self.turn_to(asked.pane)
        if self.loaded is not asked.loaded:
            self.plan.on_screen = None
            self.show_plan_here()

    def shown(self) -> Shown:
        """Counts the changes asked about that were on screen (decision G22)."""
        if self._asked is None:
            return Shown(0, 0)
        loaded, numbers, _ = self._asked
        seen = len(self.desk.seen(loaded).intersection(numbers))
        missing = tuple(map(str, self.desk.unseen(loaded, numbers)))
        digests = frozenset((loaded.digest,))
        grouped = digests if self.desk.how_grouped(loaded, numbers) else frozenset()
        return Shown(seen, len(numbers), missing, digests, grouped)

    def show_similar(self) -> None:
        """A new entry beside the one it may repeat, over the dialog."""
        raise NotImplementedError

    def scroll_behind(self, key: str) -> None:
        """Keys that a dialog passes on, so that the diff stays readable above it."""
        match key:
            case "left" | "right":
                self.turn(1 if key == "right" else -1)
            case "up" | "down":
                self.plan.diff.action_move(1 if key == "down" else -1)
            case _:
                self._page(1 if key == "pagedown" else -1)

    def _page(self, by: int) -> None:
        """A page further; beyond the end to the first change that must be seen yet."""
        missing, diff = self.shown().missing, self.plan.diff
        if by > 0 and diff.at_end and missing:
            diff.go_section(self.plan.section_of(int(missing[0])))
        else:
            diff.action_page(by)
