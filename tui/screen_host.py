"""Defines what screens and their dialogs may ask of the console that holds them; the application fulfils it."""

from abc import abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from textual.screen import Screen
from textual.widget import AwaitMount

from engine.errors import MemdeckError
from engine.plans.memory_status import Status
from engine.plans.plan import QueueEntry
from tui.bridge.facts import Facts
from tui.bridge.index_keeper import IndexKeeper
from tui.bridge.workers import Bridge
from tui.dialogs.find_bar import TextFinder
from tui.present.overview.panes import CardLimits
from tui.present.plot import DotStyle
from tui.toolkit.application import QuietApp
from tui.toolkit.loop import Turn

if TYPE_CHECKING:
    from tui.actions.operator_actions import Actions

Reply = TypeVar("Reply")
Severity = Literal["information", "warning", "error"]


class ScreenHost(QuietApp[int]):
    """The console as its screens see it: the engine behind it, what was read last, and what can be said and shown."""

    read_only: bool
    bridge: Bridge
    flows: "Actions"  # what an operator starts from more than one screen
    facts: Facts
    keeper: IndexKeeper
    finder: TextFinder
    turn: Turn
    limits: CardLimits
    status: Status | None
    entries: tuple[QueueEntry, ...]
    running: dict[str, str]  # plans under way, with a word for what happens to them
    failed_plans: dict[str, MemdeckError]
    dots: DotStyle  # the signs that plots are drawn with
    filters: dict[str, tuple[str, ...]]  # those of screens that are closed and opened again, by their names
    motion: bool  # true if charts may move while data comes in

    def lacks_writing(self) -> str:
        return "read-only: the console was started with --read-only" if self.read_only else ""

    def may_write(self) -> bool:
        """Tells whether something may be written; says why not."""
        if self.read_only:
            self.say(self.lacks_writing(), severity="warning")
        return not self.read_only

    def lacks_idle(self) -> str:
        return f"wait: {self.bridge.work.title} is under way" if self.bridge.work is not None else ""

    @property
    def in_dialog(self) -> bool:
        return len(self.screen_stack) > 1

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        """Lays a screen over the others, unless one of its kind lies there already. A held key asks many times for what
        a thread has to read first; all of its answers come when none is open."""
        if any(type(other) is type(screen) for other in self.screen_stack):
            return AwaitMount(self.screen, [])
        return super().push_screen(screen, *arguments, **options)

    def ask(self, dialog: "Screen[Reply | None]", then: "Callable[[Reply], object]") -> None:
        """Lays a dialog over the screens; `then` takes its answer, where it ends with one."""
        self.push_screen(dialog, lambda reply: then(reply) if reply else None)

    @abstractmethod
    def now(self) -> datetime:
        """The workspace's time: real, or the what-if clock's."""

    @abstractmethod
    def say(self, text: str, *, title: str = "", severity: Severity = "information", about: str = "") -> None:
        """A toast; its text is never read as markup. One `about` something is gone once that is `over`."""

    @abstractmethod
    def over(self, about: str) -> None:
        """Takes the toasts about something from the screen."""

    @abstractmethod
    def copy_out(self, text: str) -> None:
        """Copies a text to where it can be pasted, and says how."""

    @abstractmethod
    def fail(self, error: MemdeckError) -> None:
        """An error the operator can act on, as a toast with its title and hint."""

    @abstractmethod
    def read_all(self) -> None:
        """Reads everything anew; a first look that takes its time shows how far it is."""

    @abstractmethod
    def scrub_to(self, at: datetime | None) -> None:
        """Shows everything as of an instant, by the notes of the last look; None: as of now."""

    @abstractmethod
    def expect(self, *plans: str) -> None:
        """The operator asked for these plans: they are no news, and the cursor waits on the first."""

    @abstractmethod
    def show_running(self) -> None:
        """Ages and plans under way are painted anew."""

    @abstractmethod
    def show_work(self) -> None:
        """The progress of long work and looks, looked at only while there are any."""

    @abstractmethod
    def show_work_soon(self) -> None:
        """Shows progress, if there still is any after a moment: what is quick flashes no bar."""

    @abstractmethod
    def show_crumbs(self) -> None:
        """Shows the crumbs anew, after the operator went elsewhere."""

    @abstractmethod
    def remember(self) -> None:
        """Notes the present spot, to which `-` leads back."""

    @abstractmethod
    async def open_plan(self, plan_id: str) -> None:
        """Shows a plan on the Approvals page."""

    @abstractmethod
    async def open_file(self, path: str, line: int) -> None:
        """Shows a line of a note, counted from 1: on the Tree page, or of a note that is not in the tree by itself."""

    @abstractmethod
    def action_find_again(self, by: int) -> None:
        """Goes on with what was looked for last, in the focused pane."""

    @abstractmethod
    async def action_last_place(self) -> None:
        """To the last place; once more leads back here."""

    @abstractmethod
    def action_find_here(self) -> None:
        """Asks for a text to find in the focused pane, of a screen or of what lies over it."""
