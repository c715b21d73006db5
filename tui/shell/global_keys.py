"""Opens what global keys open: menus, dialogs, the command line; each module loads when needed."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.find_bar import FindBar, findable
from tui.shell.header_footer import HeaderFooter
from tui.shell.host import ShellHost
from tui.widgets.searchable_pane import LinePlace

if TYPE_CHECKING:
    from tui.shell.commands import Commander


_TELLING = ("MEMORY.md", "memory", "topics", "knowledge", "DailyLogs")  # one of them is in every workspace


class GlobalKeys(ShellHost):
    """Actions of the application, which open something and decide nothing."""

    edges: HeaderFooter
    workspace: Path
    visit: FleetVisit
    arguments: Sequence[str]  # the options that commands beside the console need as well

    @cached_property
    def commander(self) -> "Commander":
        """Runs typed commands; made for the first one."""
        from tui.shell.commands import Commander

        return Commander(self, self.arguments)

    def action_dry_run(self) -> None:
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
        """Asks for a text to find in the focused pane of the screen or dialog in front."""
        if (pane := findable(self.screen.focused)) is not None:
            self.push_screen(FindBar(self.finder, pane))

    def action_find_again(self, by: int) -> None:
        if (pane := findable(self.screen.focused)) is not None:
            self.finder.again(pane, by)

    def action_jump(self) -> None:
        from tui.shell.jump import jump

        jump(self, self.edges.header)

    def action_fleet(self) -> None:
        from tui.shell.fleet import FleetScreen

        self.push_screen(FleetScreen(self.visit))

    def begin_visit(self) -> None:
        """Opens the plan that led here; without a named workspace all agents, or the tools if there is no agent."""
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
        from tui.screens.history.memory_files import MemoryScreen

        self.push_screen(MemoryScreen())

    def action_tools(self) -> None:
        self._show_tools()

    def _show_tools(self, *, first: bool = False) -> None:
        from tui.shell.tools_of_machine import ToolScreen

        self.push_screen(ToolScreen(self.visit, first=first))

    def action_tour(self) -> None:
        from tui.shell.tour import Tour

        self.welcome.toured()
        self.push_screen(Tour(self.stage))

    async def action_operations(self) -> None:
        await self.action_go("history")
        self.page.turn_to(self.page.PANES[0])

    def action_copy_line(self) -> None:
        self.teller.copy(self._chosen_text())

    def action_copy_all(self) -> None:
        """Copies all text of the pane in front, such as a whole diff, and writes it into a file."""
        pane = findable(self.screen.focused)
        self.teller.copy(pane.whole_text() if pane is not None else "", into_file=True)

    def _selected(self, what: str) -> Iterator[object]:
        """Yields the attribute `what` of the focused pane, then of each widget around it."""
        focused = self.screen.focused or self.screen
        return (getattr(node, what, None) for node in focused.ancestors_with_self)

    @property
    def _noted_line(self) -> LinePlace | None:
        places = self._selected("noted_line")
        return next((place for place in places if isinstance(place, LinePlace) and place.path), None)

    def action_own(self, key: str) -> None:
        from tui.shell.own_commands import start

        ident = next((ident_here for ident_here in self._selected("noted_id") if isinstance(ident_here, str)), "")
        start(self, self.own[key], self._noted_line, ident, self.workspace)

    def lacks_noted_line(self) -> str:
        return "" if self._noted_line is not None else "no line of a note is under the cursor"

    def action_line(self, what: str) -> None:
        if (place := self._noted_line) is not None:
            getattr(self.flows.dry_runs, what)(place)

    def _chosen_text(self) -> str:
        pane = findable(self.screen.focused)
        return self.screen.get_selected_text() or (pane.text_to_copy() if pane is not None else "")
