"""Gives the pages what they have in common: panes of which a narrow terminal shows one, and where one is on them."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

from textual import events
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input

from tui.present.spans import Line, Span
from tui.registry.screens import place
from tui.screens.pane import Hosted
from tui.widgets.line_list import LineList
from tui.widgets.painted import Painted
from tui.widgets.searched import LinePlace


class PlanPlace(NamedTuple):
    """A plan, to be shown by its id."""

    plan: str


@runtime_checkable
class HasChoices(Protocol):
    """A screen over the pages on which the operator chooses something that is made into a plan at the end."""

    def unfinished(self) -> str:
        """Says what was chosen and would be lost if another page came to the front; empty where nothing."""


class TypedWords(NamedTuple):
    """The words that were typed after a page's name on the command line."""

    words: tuple[str, ...]


Place = PlanPlace | LinePlace | TypedWords  # something that can be shown on a page


class Page(Hosted, Container, scope="screen"):
    """One of the console's screens. `PANES` are the ids of its panes in the order `tab` takes."""

    PANES: ClassVar[tuple[str, ...]] = ()
    NAMES: ClassVar[Mapping[str, str]] = {}  # the words that name a pane beside `tab`, by its id

    def __init_subclass__(cls, **arguments: Any) -> None:
        cls.SCOPED_CSS = False  # a page's style goes by what is around it too, such as `-narrow`
        super().__init_subclass__(**arguments)

    def on_mount(self) -> None:
        """Panes are told apart from fields between them, and get their border by it, drawn as one is turned to."""
        for name in self.PANES:
            pane = self.pane(name)
            pane.set_class(isinstance(pane, Painted), "pane", update=False)

    def follow_here(self, kind: type[object], call: Callable[[], object]) -> None:
        """Calls for each fact of a kind that is told while this page is in front."""
        self.deck.facts.follow(kind, lambda _: call() if self.has_class("here") else None)

    def pane(self, name: str) -> Widget:
        return self.query_one(f"#{name}")

    def list_of(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    def others(self, name: str) -> Line:
        """Names what `tab` leads to, where panes share the room."""
        if not self.one_pane:
            return ()
        at = self.PANES.index(name)
        rest = [self.NAMES[other] for other in (*self.PANES[at + 1 :], *self.PANES[:at])]
        return (Span("tab ", "key"), Span(" · ".join(rest), "muted"))

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
        self.turn_to(self.PANES[(self.PANES.index(self.current) + by) % len(self.PANES)])

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

    def show(self, wanted: Place) -> bool:
        """Goes to something on this page; False where the page does not know it."""
        return False

    def leave(self) -> bool:
        """Does what `esc` does here; False where there is nothing to leave."""
        if self.has_class("zoom"):
            self.action_zoom()
            return True
        return False


class FieldPage(Page):
    """A page whose first pane is a field; the second lists what answers it."""

    @property
    def field(self) -> Input:
        return self.query_one(f"#{self.PANES[0]}", Input)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the field itself there is no way to the field."""
        return False if action == "ask" and self.field.has_focus else super().check_action(action, parameters)

    def action_ask(self) -> None:
        """To the field, at the end of what stands there."""
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
    """A new page of a screen, its module loaded now; its class takes no arguments and gives the widget the id."""
    module, _, name = place(ident).page.partition(":")
    return cast("Page", getattr(import_module(module), name)())
