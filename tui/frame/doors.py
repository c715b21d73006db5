"""What the keys that work everywhere open: menus, dialogs, the command line; each module is loaded when needed."""

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tui.app import MemdeckApp


class Doors:
    """Actions of the application, each of which leads somewhere and decides nothing."""

    @property
    def _deck(self) -> "MemdeckApp":
        return cast("MemdeckApp", self)

    def action_dry_run(self) -> None:
        """A dry run of the one system there is, or a choice of systems."""
        if self._deck.read_only:
            self._deck.say(f"dry run: {self._deck.why_not('dry_run')}", severity="warning")
        elif len(self._deck.systems) == 1:
            self._deck.flows.dry_run(self._deck.systems[0][0])
        elif self._deck.systems:
            from tui.frame.menus import choose_dry_run

            choose_dry_run(self._deck)

    def action_keys(self) -> None:
        from tui.frame.menus import show_keys

        show_keys(self._deck)

    def action_commands(self) -> None:
        from tui.frame.menus import show_commands

        show_commands(self._deck)

    def action_themes(self) -> None:
        from tui.frame.menus import choose_theme

        choose_theme(self._deck)

    def action_command_line(self) -> None:
        from tui.frame.command_line import open_command_line

        open_command_line(self._deck, self._deck.commander)

    def action_find_here(self) -> None:
        """Asks for a text to find in the focused pane, of a screen or of what lies over it."""
        from tui.dialogs.finding import FindBar, findable

        pane = findable(self._deck.screen.focused)
        if pane is not None:
            self._deck.push_screen(FindBar(self._deck.finder, pane))

    def action_jump(self) -> None:
        from tui.frame.jump import jump

        jump(self._deck)

    def action_tour(self) -> None:
        from tui.frame.tour import Tour

        self._deck.welcome.toured()
        self._deck.push_screen(Tour(self._deck))

    async def action_operations(self) -> None:
        """The log of operations, which is History's first pane."""
        await self._deck.action_go("history")
        self._deck.page.turn_to(self._deck.page.PANES[0])

    def action_copy_line(self) -> None:
        self._deck.teller.copy(self._deck.page.copy_text())

    def action_copy_file(self) -> None:
        self._deck.teller.copy(self._deck.page.copy_text(), into_file=True)
