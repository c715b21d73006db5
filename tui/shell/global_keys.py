"""Opens what the keys that work everywhere open: menus, dialogs, the command line; loads each module when needed."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.find_bar import FindBar, findable
from tui.shell.header_footer import HeaderFooter
from tui.shell.host import ShellHost
from tui.widgets.searched import LinePlace

if TYPE_CHECKING:
    from tui.shell.commands import Commander


_TELLING = ("MEMORY.md", "memory", "topics", "knowledge", "DailyLogs")  # one of them is in every workspace


class GlobalKeys(ShellHost):
    """Actions of the application, each of which leads somewhere and decides nothing."""

    edges: HeaderFooter
    workspace: Path
    visit: FleetVisit
    arguments: Sequence[str]  # the options that commands beside the console need as well

    @cached_property
    def commander(self) -> "Commander":
        """Carries out what is typed; made when the first command is."""
        from tui.shell.commands import Commander

        return Commander(self, self.arguments)

    def action_dry_run(self) -> None:
        """A dry run of the one system there is, or a choice of systems."""
        if len(self.systems) == 1:
            self.flows.dry_runs.start(self.systems[0][0])
        elif self.systems:
            from tui.shell.menus import choose_dry_run

            choose_dry_run(self)

    def action_keys(self) -> None:
        from tui.shell.menus import show_keys

        show_keys(self, self.commander)

    def action_commands(self) -> None:
        from tui.shell.menus import show_commands

        show_commands(self, self.commander)

    def action_themes(self) -> None:
        from tui.shell.menus import choose_theme

        choose_theme(self)

    def action_command_line(self) -> None:
        from tui.shell.command_line import open_command_line

        open_command_line(self, self.commander)

    def action_find_here(self) -> None:
        """Asks for a text to find in the focused pane, of a screen or of what lies over it."""
        if (pane := findable(self.screen.focused)) is not None:
            self.push_screen(FindBar(self.finder, pane))

    def action_find_again(self, by: int) -> None:
        """Goes on with what was looked for last, where nothing is looked for now."""
        if (pane := findable(self.screen.focused)) is not None:
            self.finder.again(pane, by)

    def action_jump(self) -> None:
        from tui.shell.jump import jump

        jump(self, self.edges.header)

    def action_fleet(self) -> None:
        """Shows all agents, from which `enter` leads to another."""
        from tui.shell.fleet import FleetScreen

        self.push_screen(FleetScreen(self.visit))

    def begin_visit(self) -> None:
        """Opens the plan that led here; where no workspace was named and several are known, the look at all, and the
        tools of this machine where there is none."""
        if self.visit.plan:
            self.call_later(self.open_plan, self.visit.plan)
            self.visit.plan = ""
        elif self.visit.is_first:
            self.bridge.read(lambda _: self.visit.opened().rows(), self._choose)

    def _choose(self, rows: Sequence[object]) -> None:
        if len(rows) > 1:
            self.action_fleet()
            return
        self.visit.fleet = None  # `esc` leads nowhere
        if not any((self.workspace / name).exists() for name in _TELLING):
            self._show_tools(first=True)

    def action_memory(self) -> None:
        """Shows the files that agents load, with what changed in each lately."""
        from tui.screens.history.memory_files import MemoryScreen

        self.push_screen(MemoryScreen())

    def action_tools(self) -> None:
        """Shows the tools of this machine, and connects one."""
        self._show_tools()

    def _show_tools(self, *, first: bool = False) -> None:
        from tui.shell.tools import ToolScreen

        self.push_screen(ToolScreen(self.visit, first=first))

    def action_tour(self) -> None:
        from tui.shell.tour import Tour

        self.welcome.toured()
        self.push_screen(Tour(self.stage))

    async def action_operations(self) -> None:
        """The log of operations, which is History's first pane."""
        await self.action_go("history")
        self.page.turn_to(self.page.PANES[0])

    def action_copy_line(self) -> None:
        self.teller.copy(self._chosen_text())

    def action_copy_all(self) -> None:
        """Copies all that the pane in front says, such as a whole diff, and writes it into a file as well."""
        pane = findable(self.screen.focused)
        self.teller.copy(pane.whole_text() if pane is not None else "", into_file=True)

    def _selected(self, what: str) -> Iterator[object]:
        """The selection as the focused pane knows it, then as that does what it lies in."""
        focused = self.screen.focused or self.screen
        return (getattr(node, what, None) for node in focused.ancestors_with_self)

    @property
    def _noted_line(self) -> LinePlace | None:
        """The line of a note under the cursor."""
        places = self._selected("noted_line")
        return next((place for place in places if isinstance(place, LinePlace) and place.path), None)

    def action_own(self, key: str) -> None:
        """Runs a command of the operator's on the selection."""
        from tui.shell.own_commands import start

        ident = next((found for found in self._selected("noted_id") if isinstance(found, str)), "")
        start(self, self.own[key], self._noted_line, ident, self.workspace)

    def lacks_noted_line(self) -> str:
        return "" if self._noted_line is not None else "no line of a note is under the cursor"

    def action_line(self, what: str) -> None:
        """Forgets or corrects the line under the cursor, by a plan."""
        if (place := self._noted_line) is not None:
            getattr(self.flows.dry_runs, what)(place)

    def _chosen_text(self) -> str:
        """Gives the text that the mouse selected, else that under the cursor."""
        pane = findable(self.screen.focused)
        return self.screen.get_selected_text() or (pane.text_to_copy() if pane is not None else "")
