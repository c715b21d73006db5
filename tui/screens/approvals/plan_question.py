"""Asks about a plan below all its changes as one text (decision G22)."""

from textual.geometry import Region

from tui.dialogs.diff_behind import Shown
from tui.present.approvals.plan_sections import gravest
from tui.screens.approvals.plan_pane import PlanPane
from tui.screens.approvals.selection import Asked
from tui.screens.page import Page


class AskedPlan:
    """Asks about the plan under the cursor, whose text stays in view and is scrolled by the dialog's keys."""

    def __init__(self, page: Page, plan: PlanPane) -> None:
        self._page, self._plan, self._selection = page, plan, plan.selection

    def ask(self) -> None:
        """Opens the question."""
        selection, entry, loaded = self._selection, self._selection.entry, self._selection.loaded
        if entry is not None and loaded is not None:
            selection.asked = Asked(loaded, selection.desk.chosen(loaded), self._page.current)
            self._page.turn_to("diff")
            self._page.deck.flows.approvals.ask(entry, loaded, selection.asked.numbers, self)

    def give_way(self, rows: int) -> Region:
        """Leaves the last lines to the dialog; the first time shows the whole plan, the gravest change first."""
        asked, plan, page = self._selection.asked, self._plan, self._page
        plan.styles.padding = (0, 0, rows, 0)
        if rows > 0 and asked is not None and not page.has_class("asking"):
            page.add_class("asking")
            plan.call_after_refresh(plan.show_whole, gravest(asked.loaded, asked.numbers), at_change=True)
        elif rows <= 0 and asked is not None and page.has_class("asking"):
            self._answered(asked)
        return plan.region

    def _answered(self, asked: Asked) -> None:
        """Restores the page after the answer, with the plan under the cursor."""
        self._page.remove_class("asking")
        self._plan.show_one()
        self._selection.asked = None
        self._page.turn_to(asked.pane)
        if self._selection.loaded is not asked.loaded:
            self._plan.diff.on_screen = None
            self._plan.show_plan()

    def shown(self) -> Shown:
        """Counts the changes asked about that were on screen (decision G22)."""
        if self._selection.asked is None:
            return Shown(0, 0)
        (loaded, numbers, _), desk = self._selection.asked, self._selection.desk
        missing = tuple(map(str, desk.unseen(loaded, numbers)))
        digests = frozenset((loaded.digest,))
        grouped = digests if desk.how_grouped(loaded, numbers) else frozenset()
        return Shown(len(desk.seen(loaded).intersection(numbers)), len(numbers), missing, digests, grouped)

    def show_similar(self) -> None:
        """Shows a new entry beside the one it may repeat, over the dialog."""
        self._plan.changes.action_decide("show_beside", over=True)

    def scroll_behind(self, key: str) -> None:
        """Scrolls the diff by a key that the dialog passes on."""
        match key:
            case "left" | "right":
                self._plan.changes.action_turn(1 if key == "right" else -1)
            case "up" | "down":
                self._plan.diff.action_move(1 if key == "down" else -1)
            case _:
                self._plan.diff.after_paint(lambda: self._scroll(1 if key == "pagedown" else -1))

    def _scroll(self, by: int) -> None:
        """Scrolls by a page; at the end goes to the first unseen change."""
        missing, diff = self.shown().missing, self._plan.diff
        if by > 0 and diff.at_end and missing:
            diff.go_section(diff.section_of(int(missing[0])))
        else:
            diff.action_page(by)
