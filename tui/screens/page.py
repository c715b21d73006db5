"""Defines the base class of pages: panes, of which a narrow terminal shows one, and places on them."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

from textual import events
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input

from tui.present.spans import Line, Span
from tui.registry.screens import place
from tui.screens.hosted import Hosted
from tui.widgets.line_list import LineList
from tui.widgets.painted import Painted
from tui.widgets.searchable_pane import LinePlace


class PlanPlace(NamedTuple):
    """The place of a plan, by its id."""

    plan: str


@runtime_checkable
class HasChoices(Protocol):
    """A screen over the pages with choices that become a plan at its end."""

    def unfinished(self) -> str:
        """Says which choices would be lost if another page came to the front; empty if there is none."""


class TypedWords(NamedTuple):
    """The words typed after a page's name on the command line."""

    words: tuple[str, ...]


Place = PlanPlace | LinePlace | TypedWords  # something that can be shown on a page


class Page(Hosted, Container, scope="screen"):
    """A screen of the console; `PANES` lists the ids of its panes in the order of `tab`."""

    PANES: ClassVar[tuple[str, ...]] = ()
    NAMES: ClassVar[Mapping[str, str]] = {}  # the words that name a pane beside `tab`, by its id

    def __init_subclass__(cls, **arguments: Any) -> None:
        cls.SCOPED_CSS = False  # a page's style goes by what is around it too, such as `-narrow`
        super().__init_subclass__(**arguments)

    def on_mount(self) -> None:
        """Marks the panes, which have borders, apart from the fields between them."""
        for name in self.PANES:
            pane = self.pane(name)
            pane.set_class(isinstance(pane, Painted), "pane", update=False)

    def follow_here(self, kind: type[object], call: Callable[[], object]) -> None:
        """Calls `call` for each fact of a kind while this page is in front."""
        self.deck.facts.follow(kind, lambda _: call() if self.has_class("here") else None)

    def pane(self, name: str) -> Widget:
        return self.query_one(f"#{name}")

    def list_of(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    def others(self, name: str) -> Line:
        """Names the panes that `tab` leads to, if only one shows; else empty."""
        if not self.one_pane:
            return ()
        at = self.PANES.index(name)
        rest = [self.NAMES[other] for other in (*self.PANES[at + 1 :], *self.PANES[:at])]
        return (Span("tab ", "key"), Span(" · ".join(rest), "muted"))

    @property
    def reachable(self) -> tuple[str, ...]:
        """The panes that a jump can lead to."""
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
        """Tells whether only one pane shows at a time."""
        return self.screen.has_class("-narrow") or self.has_class("zoom")

    def turn_to(self, name: str) -> None:
        """Focuses a pane, which is the one shown if only one shows."""
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
        """Focuses the current pane, since the page came to the front."""
        self.turn_to(self.current)

    def action_pane(self, by: int) -> None:
        self.turn_to(self.PANES[(self.PANES.index(self.current) + by) % len(self.PANES)])

    def action_zoom(self) -> None:
        """Gives the focused pane the whole screen, or ends that."""
        self.toggle_class("zoom")
        self.turn_to(self.current)

    # Where one is, and what is under the cursor

    def crumbs(self) -> tuple[str, ...]:
        """Returns the place on this page, from its title inwards."""
        return (place(str(self.id)).title,)

    def spot(self) -> str:
        """Returns the place on this page in words that `return_to` reads."""
        return self.current

    def return_to(self, spot: str) -> None:
        """Goes back to a place if it still exists."""
        if spot in self.PANES:
            self.turn_to(spot)

    def show(self, wanted: Place) -> bool:
        """Goes to something on this page; False if the page does not know it."""
        return False

    def leave(self) -> bool:
        """Performs `esc`; False if there is nothing to leave."""
        if self.has_class("zoom"):
            self.action_zoom()
            return True
        return False


class FieldPage(Page):
    """A page whose first pane is a field, and whose second lists the answers."""

    @property
    def field(self) -> Input:
        return self.query_one(f"#{self.PANES[0]}", Input)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables the key that moves to the field within the field."""
        return False if action == "ask" and self.field.has_focus else super().check_action(action, parameters)

    def action_ask(self) -> None:
        self.turn_to(self.PANES[0])
        self.field.action_end()

    def on_key(self, event: events.Key) -> None:
        answers = self.list_of(self.PANES[1])
        if self.field.has_focus and event.key in ("down", "pagedown"):
            event.stop()
            self.turn_to(self.PANES[1])
        elif answers.has_focus and event.key == "up" and answers.cursor == 0:
            event.stop()
            event.prevent_default()
            self.action_ask()


def new_page(ident: str) -> Page:
    """Imports and makes the page of a screen; its class takes no arguments and sets the id."""
    module, _, name = place(ident).page.partition(":")
    return cast("Page", getattr(import_module(module), name)())
