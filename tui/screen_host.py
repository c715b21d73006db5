"""Defines what screens and dialogs may ask of the console; the application implements it."""

from abc import abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from textual.screen import Screen
from textual.widget import AwaitMount

from engine.errors import MemdeckError
from engine.plans.memory_status import Status
from engine.plans.plan import QueueEntry
from tui.bridge.engine_threads import Bridge
from tui.bridge.facts import Facts
from tui.bridge.index_keeper import IndexKeeper
from tui.dialogs.find_bar import TextFinder
from tui.present.overview.triggers_notices import CardLimits
from tui.present.plot import DotStyle
from tui.toolkit.application import QuietApp
from tui.toolkit.thread_turn import Turn

if TYPE_CHECKING:
    from engine.plans.planning import PlanOutcome
    from tui.actions.operator_actions import Actions

Reply = TypeVar("Reply")
Severity = Literal["information", "warning", "error"]


class ScreenHost(QuietApp[int]):
    """The console as its screens see it: the engine, the last facts, and what can be shown."""

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
        """Tells whether writing is allowed; shows why not."""
        if self.read_only:
            self.say(self.lacks_writing(), severity="warning")
        return not self.read_only

    def lacks_idle(self) -> str:
        return f"wait: {self.bridge.work.title} is under way" if self.bridge.work is not None else ""

    @property
    def in_dialog(self) -> bool:
        return len(self.screen_stack) > 1

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        """Opens a screen unless one of its kind is open, since a held key asks many times before the first answer."""
        if any(type(other) is type(screen) for other in self.screen_stack):
            return AwaitMount(self.screen, [])
        return super().push_screen(screen, *arguments, **options)

    def ask(self, dialog: "Screen[Reply | None]", then: "Callable[[Reply], object]") -> None:
        """Opens a dialog; `then` receives its answer, unless it ends without one."""
        self.push_screen(dialog, lambda reply: then(reply) if reply else None)

    @abstractmethod
    def now(self) -> datetime:
        """Returns the workspace's time: real, or the what-if clock's."""

    @abstractmethod
    def say(self, text: str, *, title: str = "", severity: Severity = "information", about: str = "") -> None:
        """Shows a toast, never read as markup; `over` of the same `about` removes it."""

    @abstractmethod
    def over(self, about: str) -> None:
        """Removes the toasts about something."""

    @abstractmethod
    def copy_out(self, text: str) -> None:
        """Copies a text so that it can be pasted, and says how."""

    @abstractmethod
    def fail(self, error: MemdeckError) -> None:
        """Shows an error as a toast with its title and hint."""

    @abstractmethod
    def read_all(self) -> None:
        """Reads everything again; a long first look shows its progress."""

    @abstractmethod
    def scrub_to(self, at: datetime | None) -> None:
        """Shows everything as of an instant with the notes of the last look; None means now."""

    @abstractmethod
    def expect(self, *plans: str) -> None:
        """Marks plans as asked for by the operator: they are not announced, and the cursor goes to the first."""

    def took(self, outcome: "PlanOutcome") -> str:
        """Says why no plan was made, or expects the one that was; returns its id, empty if there is none."""
        if (plan := outcome.plan) is None:
            self.say(outcome.reason_no_action or "nothing to do", title="No plan", severity="warning")
        else:
            self.expect(plan.id)
        self.read_all()
        return plan.id if plan is not None else ""

    @abstractmethod
    def show_running(self) -> None:
        """Paints ages and plans under way again."""

    @abstractmethod
    def show_work(self) -> None:
        """Shows the progress of long work and looks, and updates it while there are any."""

    @abstractmethod
    def show_work_soon(self) -> None:
        """Shows progress after a moment, so that quick work flashes no bar."""

    @abstractmethod
    def show_crumbs(self) -> None:
        """Updates the crumbs after the operator went elsewhere."""

    @abstractmethod
    def remember(self) -> None:
        """Notes the present place, to which `-` leads back."""

    @abstractmethod
    async def open_plan(self, plan_id: str) -> None:
        """Shows a plan on the Approvals page."""

    @abstractmethod
    async def open_file(self, path: str, line: int) -> None:
        """Shows a line of a note (from 1): on the Tree page, or in a reader if the note is not in the tree."""

    @abstractmethod
    def action_find_again(self, by: int) -> None:
        """Goes to the next match of the last search in the focused pane."""

    @abstractmethod
    async def action_last_place(self) -> None:
        """Goes to the last place; a second time leads back."""

    @abstractmethod
    def action_find_here(self) -> None:
        """Asks for a text to find in the focused pane of the screen or dialog in front."""
