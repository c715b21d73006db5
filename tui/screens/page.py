"""Gives the screens what they have in common: panes of which a narrow terminal shows one, and reasons of dim keys."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, cast

from textual.containers import Container
from textual.widget import Widget

from engine.errors import MemdeckError
from engine.plans.operation import Operation
from engine.plans.plan import QueueEntry
from engine.plans.status import Status
from tui.dialogs.find_bar import findable
from tui.keys.naming import Keyed, bindings
from tui.registry.screens import place
from tui.screen_host import ScreenHost
from tui.widgets.painted import Painted

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem


class Page(Keyed, Container):
    """One of the console's screens. `PANES` are the ids of its panes in the order `tab` takes."""

    SCOPE = "screen"
    PANES: ClassVar[tuple[str, ...]] = ()
    BINDINGS = bindings("Page")

    @property
    def deck(self) -> ScreenHost:
        """The application, which all pages share."""
        return cast(ScreenHost, self.app)

    def on_mount(self) -> None:
        """Panes are told apart from fields between them, and get their border by it, drawn as one is turned to."""
        for name in self.PANES:
            pane = self.pane(name)
            pane.set_class(isinstance(pane, Painted), "pane", update=False)

    def pane(self, name: str) -> Widget:
        return self.query_one(f"#{name}")

    @property
    def reachable(self) -> tuple[str, ...]:
        """Lists the panes that a jump leads to on this screen."""
        return self.PANES

    @property
    def current(self) -> str:
        """The pane that has the focus, or had it last."""
        focused = self.screen.focused
        if focused is not None and focused.id in self.PANES:
            return focused.id
        return next((name for name in self.PANES if self.pane(name).has_class("current")), self.PANES[0])

    @property
    def one_pane(self) -> bool:
        """Tells whether panes share the room."""
        return self.screen.has_class("-narrow") or self.has_class("zoom")

    def turn_to(self, name: str) -> None:
        """Gives a pane the focus; where panes share the room it is the one shown."""
        for other in self.PANES:
            self.pane(other).set_class(other == name, "current", update=False)
        # The page's own class changes with these, and with it the looks of all panes.
        self.update_classes({f"at-{other}": other == name for other in self.PANES})
        pane = self.pane(name)
        if pane.focusable:
            self.screen.set_focus(pane)  # at once: the next key may have been pressed already
        else:
            pane.focus()

    def enter(self) -> None:
        """The page came to the front."""
        self.turn_to(self.current)

    def action_pane(self, by: int) -> None:
        at = self.PANES.index(self.current)
        self.turn_to(self.PANES[(at + by) % len(self.PANES)])

    def action_zoom(self) -> None:
        """Gives the focused pane the whole screen, or gives it back."""
        self.toggle_class("zoom")
        self.turn_to(self.current)

    # Where one is, and what is under the cursor

    def crumbs(self) -> tuple[str, ...]:
        """Gives the place on this screen, from the outside in; the first is the screen's own name."""
        return (place(str(self.id)).title,)

    def spot(self) -> str:
        """The place on this screen, in words that `return_to` understands: `-` leads back to it."""
        return self.current

    def return_to(self, spot: str) -> None:
        """Goes to a spot of before, where it is still there."""
        if spot in self.PANES:
            self.turn_to(spot)

    def copy_text(self) -> str:
        """Gives the text that `y` copies: the line under the cursor of the focused pane."""
        pane = findable(self.screen.focused)
        return pane.text_at(pane.at).strip() if pane is not None and pane.count else ""

    def take_command(self, words: Sequence[str]) -> bool:
        """Words typed after the screen's name on the command line; False where they mean nothing here."""
        return False

    def action_find(self) -> None:
        """Asks for a text to find in the focused pane."""
        self.deck.action_find_here()

    def action_find_again(self, by: int) -> None:
        """Goes on with what was looked for last, where nothing is looked for now."""
        pane = findable(self.screen.focused)
        if pane is not None:
            self.deck.finder.again(pane, by)

    def leave(self) -> bool:
        """Does what `esc` does here; False where there is nothing to leave."""
        if self.has_class("zoom"):
            self.action_zoom()
            return True
        return False

    def show_status(self, status: Status) -> None:
        """The workspace was read anew."""

    def show_earlier(self, status: Status) -> None:
        """An earlier look found this; the workspace is being read."""

    def show_queue(self, entries: tuple[QueueEntry, ...]) -> None:
        """The queue was read anew."""

    def show_consolidations(self, items: "tuple[ConsolidationItem, ...]") -> None:
        """The consolidations by other tools were read anew."""

    def show_problem(self, error: MemdeckError) -> None:
        """The workspace could not be read; what is on screen is of before."""

    def show_unopened(self) -> None:
        """The workspace could not be opened, and nothing of it will be read."""

    def show_operations(self, operations: tuple[Operation, ...] | None) -> None:
        """The operations were read anew, newest first; None where they were not."""

    def show_plan(self, plan_id: str) -> None:
        """Somebody wants to see a plan here."""

    def show_file(self, path: str, line: int) -> None:
        """Somebody wants to see a line of a note here, counted from 1."""

    def expect_plan(self, plan_id: str) -> None:
        """A plan that the operator asked for is about to appear in the queue."""

    def show_tick(self) -> None:
        """Time passed: ages on screen are repainted."""


def new_page(ident: str) -> Page:
    """A new page of a screen, its module loaded now; its class takes no arguments and gives the widget the id."""
    module, _, name = place(ident).page.partition(":")
    return cast("Page", getattr(import_module(module), name)())
