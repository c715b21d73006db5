"""The console's application: screens, themes, keys. It only wires."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from textual import events, on
from textual.actions import ActionParseResult
from textual.app import ComposeResult
from textual.dom import DOMNode
from textual.filter import LineFilter

from engine.errors import MemdeckError, PolicyError
from engine.plans.memory_status import Status
from engine.plans.operation import Operation
from engine.plans.plan import QueueEntry
from engine.plans.policy.values import Policy
from engine.state.folder import state_home
from tui.actions.operator_actions import Actions
from tui.bridge.engine_source import Opening
from tui.bridge.engine_threads import Bridge
from tui.bridge.facts import Facts, LookFailed, PlanExpected, TimePassed
from tui.bridge.fleet_source import FleetVisit
from tui.bridge.index_keeper import IndexKeeper
from tui.bridge.state_reader import StateReader, first_facts
from tui.dialogs.early_keys import EarlyKeys
from tui.dialogs.find_bar import TextFinder
from tui.keys.naming import performer, why_not
from tui.present import header_hints
from tui.present.overview.triggers_notices import CardLimits
from tui.present.spans import Line, Span
from tui.present.words import home, safe
from tui.screen_host import Severity
from tui.screens.page import PlanPlace
from tui.shell.configuration import Configuration
from tui.shell.global_keys import GlobalKeys
from tui.shell.header_footer import HeaderFooter
from tui.shell.latest_look import LatestLook
from tui.shell.navigation import Navigator
from tui.shell.new_plans import NewPlans
from tui.shell.remembered_theme import RememberedTheme
from tui.shell.theme_choice import ThemeChoice
from tui.shell.toasts import Toasts
from tui.shell.tour_invitation import Welcome
from tui.system.garbage_collector import Collector
from tui.system.terminal import dot_style, shows_ascii_only
from tui.toolkit.painter import BaseScreen
from tui.toolkit.thread_turn import Turn
from tui.widgets import themes
from tui.widgets.filter_field import FilterField
from tui.widgets.line_block import LineBlock
from tui.widgets.one_line import OneLine
from tui.widgets.output_wall import Wall
from tui.widgets.searchable_pane import LinePlace

_POLL_SECONDS = 2.0  # the interval at which the queue is looked at for plans that other processes made
_CLOCK_SECONDS = 60.0
"""Seconds between looks for changes that only time causes, such as the end of a cooldown."""
_PATIENCE_SECONDS = 0.1  # seconds that a look may take before its progress is shown
_PROGRESS_SECONDS = 0.1  # seconds between two looks at the progress of what runs
_AGES_SECONDS = 20.0  # the interval at which ages on screen are worked out anew
_LEAST = (60, 16)  # columns and lines below which there is only a notice


class MemdeckApp(GlobalKeys, scope="console"):
    """Shows a header, one page, and a line of hints; dialogs open over them."""

    status: Status | None = None
    entries: tuple[QueueEntry, ...] = ()
    operations: tuple[Operation, ...] = ()
    systems: tuple[tuple[str, str], ...] = ()
    unread = _leaving = _watching = False
    ENABLE_COMMAND_PALETTE = False
    CSS = files("tui.widgets").joinpath("console.tcss").read_text("utf-8")

    def __init__(
        self,
        opening: Opening,
        *,
        read_only: bool = False,
        user_home: str = "",
        theme: str = "",
        config: Path | None = None,
        env: Mapping[str, str] = {},
        arguments: Sequence[str] = (),
        visit: FleetVisit | None = None,
    ) -> None:
        """Takes the operator's folder `config`, the options `arguments` that commands run beside the console need too,
        and `visit`, the view of all agents that this console was opened from."""
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (_LEAST[0], "-narrow"), (100, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (_LEAST[1], "-short"), (32, "-tall")]
        self.workspace, self.env = opening.workspace, env
        self.configuration = Configuration(config, opening.workspace)
        self.looks = ThemeChoice(self, config / "themes" if config else None, self.fail)
        self.register_theme(themes.theme(themes.DEFAULT))
        self.remembered = RememberedTheme(state_home(env) if env else None)
        self.looks.begin(theme or self.configuration.settings.theme or self.remembered.name)
        self.read_only = read_only
        self.bridge = Bridge(self, opening, self.fail)
        self.facts = Facts()
        self.flows = Actions(self)
        self.keeper = IndexKeeper(self.bridge)
        self.collector, self.turn = Collector(), Turn()
        self.limits = CardLimits()
        self.running: dict[str, str] = {}
        self.failed_plans: dict[str, MemdeckError] = {}
        self.teller = Toasts(self, self.configuration, opening.workspace, env)
        self.news, self.finder = NewPlans(), TextFinder(self.say)
        self.arguments = arguments
        self.visit = visit or FleetVisit(opening.workspace, read_only=read_only)
        self.edges = HeaderFooter(self, home(str(opening.workspace), user_home))
        self.latest = LatestLook(self, self.edges, self._watch, self._void_changed, self.flows.due_work.start)
        self.reader = StateReader(self.bridge, self.latest.show, self.latest.could_not_read)
        self.stage = Navigator(self._arrived)
        self.welcome = Welcome(state_home(env) if env else None)
        self._small = LineBlock(ident="small")
        self.filters = {}
        self.dots, self.motion = dot_style(), self.configuration.settings.motion
        self._wall = Wall(ascii_only=shows_ascii_only())

    def get_line_filters(self) -> list[LineFilter]:
        """Returns the toolkit's line filters, with the wall against unsafe output last."""
        return [*super().get_line_filters(), self._wall]

    def get_default_screen(self) -> BaseScreen:
        return BaseScreen(id="_default")

    def compose(self) -> ComposeResult:
        yield from self.edges.above()
        yield self._small
        yield self.stage
        yield from self.edges.below()

    def on_mount(self) -> None:
        self._configure()
        self.edges.show_header()
        self.page.enter()
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.edges.owe_hints())
        self._looking = self.set_interval(_PROGRESS_SECONDS, self.show_work, pause=True)
        self.call_after_refresh(self._open)

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width < _LEAST[0] or event.size.height < _LEAST[1]:
            self._small.show((Span(header_hints.too_small(event.size, _LEAST), "warn"),))

    @on(OneLine.Sized)
    def _show_edges(self) -> None:
        self.edges.show()

    def on_key(self, event: events.Key) -> None:
        """Passes a key that came too early to the dialog or field that was opening."""
        opening = self.screen if isinstance(self.screen, EarlyKeys) else self.screen.focused
        if isinstance(opening, EarlyKeys | FilterField) and opening.take(event):
            event.prevent_default()
        elif event.key in self.own and not self.screen.is_modal:
            self.action_own(event.key)

    def on_unmount(self) -> None:
        """Ends all work of the console, whatever ended it."""
        self.bridge.close()
        self.collector.restore()

    def _open(self) -> None:
        self.bridge.open(first_facts, self._opened, self._could_not_open)
        self.show_work_soon()

    def _opened(self, facts: tuple[Policy, tuple[tuple[str, str], ...]]) -> None:
        policy, self.systems = facts
        self.limits = CardLimits(policy)
        self.collector.spare()
        self.welcome.begin()
        self.begin_visit()
        self.reader.poll()
        self.reader.begin(self.latest.show_earlier, self.read_all)
        if not self.read_only:
            self.keeper.start()
        self.set_interval(_POLL_SECONDS, self._poll)
        self.set_interval(_AGES_SECONDS, self.show_running)
        # No path changed: only what time changes is worked out anew, and no file is read.
        self.set_interval(_CLOCK_SECONDS, lambda: self.reader.read(()))

    def _watch(self) -> None:
        """Watches for changes after the first look, whose list of files the watcher compares with."""
        if not self._watching:
            self._watching = True
            self.bridge.watch(self.reader.read)

    def _poll(self) -> None:
        """Looks for changes outside the workspace: plans of other processes, settings and themes."""
        self.reader.poll()
        self.looks.poll()
        if self.configuration.changed():
            self._configure()

    def _configure(self) -> None:
        """Applies the theme and the keys of the settings, and reports their problems."""
        keymap, problems = self.configuration.keymap()
        self.set_keymap(keymap)
        self.own, refused = self.configuration.own_commands(keymap)
        # The settings first, then what was chosen in the console, then what the terminal can show.
        wanted = self.configuration.settings.theme or self.remembered.name or self.default_theme(self.env)
        if wanted != self.looks.chosen:
            self.looks.choose(wanted)
        for problem in (*self.configuration.read.problems, *problems, *refused):
            self.fail(problem)

    def default_theme(self, env: Mapping[str, str]) -> str:
        """Returns the theme in use, or the terminal's own colours if it has only 16."""
        plain = self.console.color_system == "standard" and "NO_COLOR" not in env
        return themes.ANSI if plain and env else self.looks.chosen

    def _could_not_open(self, error: MemdeckError) -> None:
        from tui.dialogs.text_reader import TextReader

        hint = error.hint or "fix that, then start memdeck again"
        lines: tuple[Line, ...] = ((Span("✗ ", "blocked"), Span(safe(error.message), "strong")),)
        lines += ((Span(f"  {safe(error.where)}", "muted"),), (), (Span(f"  {safe(hint)}"),))
        title = "The policy has a mistake" if isinstance(error, PolicyError) else "No workspace to show"
        self._leaving, self.unread = True, True
        self.facts.tell(LookFailed(error, opened=False))
        self.edges.show()
        self.push_screen(TextReader(title, lines, ends="leaves memdeck"), lambda _: self.exit(error.exit_code))

    # What is on screen

    def now(self) -> datetime:
        return datetime.now(UTC) + self.latest.clock_ahead

    def _void_changed(self) -> None:
        self.flows.approvals.void_changed(self.entries, self.now())

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Performs the action of a key in the pane that carries it out, or says why it does nothing now."""
        node = default_namespace
        if node is None or not isinstance(action, str):
            return await super().run_action(action, node, namespaces)
        if why := why_not(node, action):
            self.say(why, severity="warning")
            return True
        return await super().run_action(action, performer(node, action), namespaces)

    def expect(self, *plans: str) -> None:
        for plan in plans:
            self.news.expect(plan)
        self.facts.tell(PlanExpected(plans[0]))

    def show_crumbs(self) -> None:
        self.edges.show_crumbs()

    def show_running(self) -> None:
        # A timer may come once more while the console is being left, and the pages have lost their panes.
        if self.is_running:
            self.facts.tell(TimePassed())

    def show_work(self) -> None:
        if self.bridge.shown is not None:
            self._looking.resume()
        else:
            self._looking.pause()
        self.edges.show_work()

    # Messages

    def say(self, text: str, *, title: str = "", severity: Severity = "information", about: str = "") -> None:
        self.teller.say(text, title=title, severity=severity, about=about)

    def over(self, about: str) -> None:
        self.teller.over(about)

    def copy_out(self, text: str) -> None:
        self.teller.copy(text)

    def fail(self, error: MemdeckError) -> None:
        self.teller.fail(error)

    # Going places

    async def action_go(self, place: str) -> None:
        await self.stage.go(place)

    def _arrived(self) -> None:
        """Updates the header and hints after another page came to the front."""
        if self.stage.here == "approvals":
            self.news.seen()
        self.edges.show()

    async def action_last_place(self) -> None:
        if not await self.stage.back():
            self.say("there is no last place yet")

    def remember(self) -> None:
        self.stage.remember()

    async def open_plan(self, plan_id: str) -> None:
        await self.stage.show("approvals", PlanPlace(plan_id))

    async def open_file(self, path: str, line: int) -> None:
        from engine.tree.levels import node_place
        from engine.tree.source_references import raw_day

        if node_place(path) is not None or raw_day(path) is not None:
            await self.stage.show("tree", LinePlace(path, line))
        elif await self.stage.uncover():
            self.flows.readers.show_note(path, line)

    @on(OneLine.Hit, "#header")
    async def _hit_header(self, event: OneLine.Hit) -> None:
        if place := header_hints.place_at(event.line.row, event.column):
            await self.action_go(place)

    @on(OneLine.Hit, "#hints")
    async def _hit_hints(self, event: OneLine.Hit) -> None:
        await self.edges.do_hint(event.column)

    def action_leave(self) -> None:
        """Stops work, or leaves the innermost of: a search, a part of the page, the what-if date, the workspace."""
        if self.bridge.cancel():
            self.show_work()
        elif self.finder.end() or self.page.leave():
            pass
        elif self.flows.clock.supposed is not None:
            self.flows.clock.suppose(None)
        elif self.visit.fleet is not None:
            self.action_fleet()
        self.edges.show_crumbs()

    def action_leave_memdeck(self) -> None:
        # An apply under way ends by itself; `q` by habit must not stop a dry run of minutes.
        if self.bridge.work is not None and not self._leaving:
            self._leaving = True
            self.say(f"{self.bridge.work.title} is under way · q again stops and quits", severity="warning")
            return
        self.bridge.close()
        self.exit(0)

    # What can be set going

    def action_undo(self) -> None:
        self.flows.reversals.undo()

    def action_redo(self) -> None:
        self.flows.reversals.redo()

    def action_refresh_all(self) -> None:
        self.read_all()
        self.say("reading everything again")

    def read_all(self) -> None:
        self.reader.read()
        self.show_work_soon()

    def scrub_to(self, at: datetime | None) -> None:
        self.reader.suppose(at)

    def action_scrub(self, by: int) -> None:
        self.flows.clock.scrub(by)

    def show_work_soon(self) -> None:
        """Shows progress after a moment, so that quick work flashes no bar."""
        self.set_timer(_PATIENCE_SECONDS, self.show_work)

    async def action_simulate_key(self, key: str) -> None:
        """Does nothing, so that only a person presses keys."""

    def action_help_quit(self) -> None:
        self.say("q leaves memdeck")
