"""Defines what the parts around the screens may ask of the console beyond `ScreenHost`."""

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path

from textual.dom import DOMNode

from engine.plans.operation import Operation
from tui.bridge.fleet_source import FleetVisit
from tui.screen_host import ScreenHost
from tui.screens.page import Page
from tui.settings.file import OwnCommand
from tui.shell.configuration import Configuration
from tui.shell.navigation import Navigator
from tui.shell.new_plans import NewPlans
from tui.shell.remembered_theme import RememberedTheme
from tui.shell.theme_choice import ThemeChoice
from tui.shell.toasts import Toasts
from tui.shell.tour_invitation import Welcome


class ShellHost(ScreenHost):
    """The console as seen by the parts around its screens: pages, colours, news."""

    configuration: Configuration
    stage: Navigator
    looks: ThemeChoice
    remembered: RememberedTheme
    news: NewPlans
    teller: Toasts
    welcome: Welcome
    own: Mapping[str, OwnCommand] = {}  # the operator's commands by their keys
    unread: bool  # true if the last look at the workspace failed
    operations: tuple[Operation, ...]  # the operations, newest first, as it was read last
    systems: tuple[tuple[str, str], ...]  # the systems a dry run can be made for, with what each does

    @property
    def page(self) -> Page:
        return self.stage.page

    @property
    def pages(self) -> dict[str, Page]:
        return self.stage.pages

    def reach(self, node: DOMNode) -> int:
        """Returns how far the keys of a node reach: 0 the focused pane, 1 the page in front, 2 everywhere."""
        return 2 if node is self else 1 if node is self.page else 0

    @abstractmethod
    async def action_go(self, place: str) -> None:
        """Brings a page to the front; makes it on the first visit."""

    @abstractmethod
    def action_keys(self) -> None:
        """Shows every key that works here."""

    @abstractmethod
    def action_themes(self) -> None:
        """Asks for a theme."""

    @abstractmethod
    def action_tour(self) -> None:
        """Starts the tour for newcomers."""

    @abstractmethod
    def action_tools(self) -> None:
        """Shows the tools of this machine."""

    @abstractmethod
    def action_leave_memdeck(self) -> None:
        """Quits; during long work the first `q` only says that it is under way."""


def leave_for(deck: ScreenHost, visit: FleetVisit, workspace: str, plan: str = "") -> None:
    """Ends this console to open another workspace, and optionally a plan there."""
    if deck.bridge.work is not None:
        deck.say(deck.lacks_idle(), severity="warning")
    elif not Path(workspace).is_dir():
        deck.say(f"no such folder: {workspace}", severity="warning")
    else:
        visit.leads_to, visit.plan = Path(workspace), plan
        deck.bridge.close()
        deck.exit(0)
