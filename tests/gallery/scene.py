"""A scene: a state of the console worth looking at, the engine behind it, and the keys that lead there."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.screen import Screen

from tui.app import MemdeckApp
from tui.screens.page import Page, PlanPlace
from tui.toolkit.painter import BaseScreen

if TYPE_CHECKING:
    from engine.services.engine import Engine
    from tests.prepared import Prepared

Step = str | Callable[[MemdeckApp], object]
"""A key, or something else that happens. What returns False has not happened yet, and is asked again."""
On = type[Page] | type[Screen]  # type: ignore[type-arg]
"""A page of the console, or what lies over the pages."""
Size = tuple[int, int]


class Scene(NamedTuple):
    """One state to look at. Nothing in it depends on wording, so that words can change without it."""

    name: str
    shows: str
    """What there is to see, in one phrase."""
    engine: Callable[[], "Engine | Prepared"]
    """Opens an engine for one drawing; many scenes may share a workspace, so none changes it."""
    on: On
    """The class that is in front at the end."""
    steps: tuple[Step, ...] = ()
    over: tuple[On, ...] = ()
    """What it lies over, besides the page."""
    busy: bool = False
    """Whether long work is under way when it is drawn: the first look at the workspace where there are no steps."""
    read_only: bool = False
    newcomer: bool = False
    at: Size | None = None
    """The one size at which there is this to see; else it is every size."""

    def is_front(self, app: MemdeckApp) -> bool:
        """Whether the console has arrived at this scene."""
        front = app.page if type(app.screen) is BaseScreen and issubclass(self.on, Page) else app.screen
        return type(front) is self.on and tuple(type(one) for one in app.screen_stack[1:-1]) == self.over


class At(NamedTuple):
    """Makes the scenes of one page, which its key leads to."""

    page: type[Page]
    key: str
    engine: Callable[[], "Engine | Prepared"]

    def __call__(
        self,
        name: str,
        shows: str,
        *steps: Step,
        engine: Callable[[], "Engine | Prepared"] | None = None,
        on: On | None = None,
        **more: Any,
    ) -> Scene:
        """A scene that begins on the page and, unless `on` says otherwise, ends there."""
        return Scene(name, shows, engine or self.engine, on or self.page, (self.key, *steps), **more)


def pane(name: str) -> Step:
    """Gives a pane of the page in front the focus."""
    return lambda app: app.page.turn_to(name)


def plan(number: int) -> Step:
    """Puts the cursor on a plan made by hand."""
    return lambda app: app.page.show(PlanPlace(f"p-20260315-{number:04}"))
