"""The console's application: screens, themes, keys. It only wires."""

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.filter import LineFilter

from engine.errors import MemdeckError
from engine.plans.plan import OPEN_STATES, QueueEntry
from engine.plans.policy import Policy
from engine.views import Status
from tui import themes
from tui.bridge import Bridge
from tui.flows import Flows
from tui.places import FIRST, PLACES
from tui.port import Engine, Opening
from tui.reading import Picture, Reader, first_facts
from tui.screens.page import Page, new_page
from tui.terminal import HangUp, measure_the_terminal_itself, refuse_without_terminal
from tui.viewmodels import frame, queue
from tui.viewmodels.overview import Limits
from tui.viewmodels.plan import state_words
from tui.viewmodels.spans import Line, Span
from tui.viewmodels.wording import home, safe
from tui.widgets.lines import Lines
from tui.widgets.one_line import OneLine
from tui.widgets.safety import Wall

if TYPE_CHECKING:
    from tui.screens.confirm import ConfirmDialog

Severity = Literal["information", "warning", "error"]
_POLL_SECONDS = 2.0
"""How often the queue is looked at for plans that other processes made."""
_CLOCK_SECONDS = 60.0
"""How often the workspace is looked at for what time alone changes: a cooldown that ends, a job that falls due."""
_PROGRESS_SECONDS = 0.1
_AGES_SECONDS = 20.0
"""How often ages on screen are worked out anew."""
_TOO_SMALL = "This terminal is too small: memdeck needs 60×16. Make it larger, or use `memdeck status`."


class MemdeckApp(App[int]):
    """One header, one page at a time, one line of hints; dialogs lie over them."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #stage { height: 1fr; }
    #stage > * { height: 1fr; display: none; }
    #stage > .here { display: block; }
    #work { display: none; background: $panel; }
    #work.shown { display: block; }
    #small { display: none; padding: 1 2; }
    .-tiny #stage, .-tiny #header, .-tiny #hints, .-low #stage, .-low #header, .-low #hints { display: none; }
    .-tiny #small, .-low #small { display: block; }
    Toast { max-width: 72; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *[Binding(place.key, f"go('{place.id}')", place.title, show=False) for place in PLACES],
        Binding("z", "undo", "Undo"),
        Binding("Z", "redo", "Redo", show=False),
        Binding("d", "dry_run", "Dry run", show=False),
        Binding("ctrl+r", "refresh_all", "Read again", show=False),
        Binding("escape", "leave", "Back / cancel", show=False),
        Binding("ctrl+p,colon", "commands", "Commands", key_display=":"),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q", "leave_memdeck", "Quit"),
    ]

    def __init__(
        self, opening: Opening, *, read_only: bool = False, user_home: str = "", theme: str = themes.DEFAULT
    ) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-short"), (32, "-tall")]
        for name in (themes.DEFAULT, theme):
            self.register_theme(themes.theme(name))
        self.theme = theme
        self.read_only = read_only
        self.bridge = Bridge(self, opening)
        self.flows = Flows(self)
        self.reader = Reader(self.bridge, self._show_picture, self.fail)
        self.limits = Limits()
        self.status: Status | None = None
        self.entries: tuple[QueueEntry, ...] = ()
        self.running: dict[str, str] = {}
        """Plans under way, with a word for what happens to them."""
        self.failed_plans: dict[str, MemdeckError] = {}
        self.asking: tuple[str, ConfirmDialog] | None = None
        """The plan that a dialog asks about, with the dialog."""
        self._place = home(str(opening.workspace), user_home)
        self._wall = Wall(
            ascii_only=not (sys.__stderr__.encoding or "").lower().startswith("utf") if sys.__stderr__ else False
        )
        self._clock_ahead = datetime.now(UTC) - datetime.now(UTC)
        self._header, self._work, self._hint_line = (OneLine(ident=name) for name in ("header", "work", "hints"))
        self._stage = Container(id="stage")
        self.pages: dict[str, Page] = {FIRST: new_page(FIRST)}
        self._here = FIRST
        self._leaving = False
        self._ran_due: tuple[tuple[str, datetime], ...] = ()
        self.systems: tuple[tuple[str, str], ...] = ()
        """The systems a dry run can be made for, with what each does."""

    def get_line_filters(self) -> list[LineFilter]:
        """The last wall stands behind all other filters."""
        return [*super().get_line_filters(), self._wall]

    def compose(self) -> ComposeResult:
        yield self._header
        yield Lines((Span(_TOO_SMALL, "warn"),), ident="small")
        with self._stage:
            yield self.pages[FIRST]
        yield self._work
        yield self._hint_line

    def on_mount(self) -> None:
        self._show_header()
        self.page.enter()
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._show_hints())
        self._looking = self.set_interval(_PROGRESS_SECONDS, self.show_work, pause=True)
        self.call_after_refresh(self._open)

    @on(OneLine.Sized)
    def _show_edges(self) -> None:
        """What fits into the lines at the edges depends on their width."""
        self._show_header()
        self._show_hints()

    def on_unmount(self) -> None:
        """Whatever ended the console, nothing goes on behind it."""
        self.bridge.close()

    def _open(self) -> None:
        """The engine is opened once the first paint is out."""
        self.bridge.look(first_facts, self._opened, self._could_not_open, group="open")

    def _opened(self, facts: tuple[Policy, tuple[tuple[str, str], ...]]) -> None:
        policy, self.systems = facts
        self.limits = Limits(policy)
        self.reader.read()
        self.bridge.watch(self.reader.read)
        self.set_interval(_POLL_SECONDS, self.reader.poll)
        self.set_interval(_AGES_SECONDS, self.show_running)
        self.set_interval(_CLOCK_SECONDS, lambda: self.reader.read(()))

    def _could_not_open(self, error: MemdeckError) -> None:
        from tui.screens.reading import Reading

        lines: tuple[Line, ...] = ((Span(f"✗ {error.title}", "blocked"),), (), (Span(safe(error.message)),))
        lines += ((Span(safe(error.where), "muted"),), (), (Span(safe(error.hint), "strong"),))
        self._leaving = True
        self.push_screen(Reading("No workspace to show", lines), lambda _: self.exit(error.exit_code))

    # What is on screen

    @property
    def page(self) -> Page:
        """The page in front."""
        return self.pages[self._here]

    @property
    def in_dialog(self) -> bool:
        return len(self.screen_stack) > 1

    def now(self) -> datetime:
        """The workspace's time: real, or the what-if clock's."""
        return datetime.now(UTC) + self._clock_ahead

    def _show_picture(self, picture: Picture) -> None:
        self.status, self.entries = picture.status, picture.queue
        self._clock_ahead = picture.status.now - datetime.now(UTC)
        for page in self.pages.values():
            page.show_status(picture.status)
            page.show_operations(picture.operations)
            page.show_queue(picture.queue)
        self._void_dialog()
        self._show_header()
        self._show_hints()
        if len(self.pages) == 1:
            self.call_later(self._make_page, "approvals")
        self._run_due(picture.status)

    def _run_due(self, status: Status) -> None:
        """Dry runs that fell due, each once: what the engine did not get done is not tried over and over."""
        due = tuple((job.id, job.next_at) for job in status.due if job.overdue)
        if due and due != self._ran_due and not self.read_only and self.bridge.work is None:
            self._ran_due = due
            self.flows.run_due()

    def _void_dialog(self) -> None:
        """A plan that changed while its dialog is open can't be approved any more, and the dialog says why."""
        if self.asking is None:
            return
        plan_id, dialog = self.asking
        entry = next((entry for entry in self.entries if entry.id == plan_id), None)
        if entry is None or entry.digest != dialog.target:
            dialog.void("this plan is no longer in the queue as it was shown")
        elif entry.state not in OPEN_STATES:
            dialog.void(state_words(entry, self.now()))

    def _show_header(self) -> None:
        what_if = f"{self.now():%Y-%m-%d %H:%M}" if self.status and self.status.simulated_clock else ""
        badges = frame.Badges(queue.waiting(self.entries), self.read_only, what_if)
        self._header.show(frame.header(self._place, self._here, badges, self._header.content_size.width or 1000))

    def _show_hints(self) -> None:
        if self.in_dialog:
            return
        width = self._hint_line.content_size.width
        self._hint_line.show(frame.hints(self._hints(), frame.facts(self.status), width))

    def _hints(self) -> list[frame.Hint]:
        found: dict[str, frame.Hint] = {}
        for key, active in self.screen_stack[0].active_bindings.items():
            binding = active.binding
            if binding.show and binding.action not in found:
                shown = binding.key_display or frame.key_name(key)
                found[binding.action] = frame.Hint(shown, binding.description, self.why_not(binding.action))
        return list(found.values())

    def why_not(self, action: str) -> str:
        """Why an action would do nothing now."""
        if action in ("undo", "redo") and self.read_only:
            return "read-only: the console was started with --read-only"
        return self.page.why_not(action)

    def show_running(self) -> None:
        for page in self.pages.values():
            page.show_tick()

    def show_work(self) -> None:
        """The progress of long work, in a line of its own while there is any."""
        line, work = self._work, self.bridge.work
        self._looking.resume() if work is not None else self._looking.pause()
        if line.has_class("shown") != (work is not None):
            line.set_class(work is not None, "shown")
        if work is not None:
            line.show(frame.progress(work.title, work.progress, work.cancelled.is_set()))

    # Messages

    def say(self, text: str, *, title: str = "", severity: Severity = "information") -> None:
        """A toast; its text is never read as markup."""
        self.notify(safe(text), title=safe(title), severity=severity, markup=False, timeout=8 if title else 5)

    def fail(self, error: MemdeckError) -> None:
        """An error the operator can act on, as a toast with its title and hint."""
        hint = f"\n{safe(error.hint)}" if error.hint else ""
        where = f"{safe(error.where)}: " if error.where else ""
        self.notify(
            f"{where}{safe(error.message)}{hint}", title=error.title, severity="error", markup=False, timeout=12
        )

    # Going places

    async def action_go(self, place: str) -> None:
        """Brings a page to the front, made on its first visit."""
        await self._make_page(place)
        self._here = place
        for name, page in self.pages.items():
            page.set_class(name == place, "here")
        self._show_header()
        self.page.enter()

    async def _make_page(self, place: str) -> None:
        if place in self.pages:
            return
        page = self.pages[place] = new_page(place)
        await self._stage.mount(page)
        if self.status is not None:
            page.show_status(self.status)
            page.show_queue(self.entries)

    async def open_plan(self, plan_id: str) -> None:
        """Shows a plan on the Approvals page."""
        await self.action_go("approvals")
        self.page.show_plan(plan_id)

    @on(OneLine.Hit, "#header")
    async def _hit_header(self, event: OneLine.Hit) -> None:
        place = frame.place_at(event.line.row, event.column)
        if place:
            await self.action_go(place)

    def action_leave(self) -> None:
        """`esc`: out of where one is; with nothing to leave, long work is asked to stop."""
        if self.bridge.work is not None:
            self.bridge.cancel()
            self.show_work()
        else:
            self.page.leave()

    def action_leave_memdeck(self) -> None:
        """Quits; the first `q` during long work only says that it is under way."""
        if self.bridge.work is not None and not self._leaving:
            self._leaving = True
            self.say(f"{self.bridge.work.title} is under way: q again stops it and leaves", severity="warning")
            return
        self.bridge.close()
        self.exit(0)

    # What can be set going

    def action_dry_run(self) -> None:
        """A dry run of the one system there is, or a choice of systems."""
        if len(self.systems) == 1:
            self.flows.dry_run(self.systems[0][0])
        elif self.systems:
            from tui.screens.menus import choose_dry_run

            choose_dry_run(self)

    def action_undo(self) -> None:
        self.flows.undo()

    def action_redo(self) -> None:
        self.flows.redo()

    def action_refresh_all(self) -> None:
        self.read_all()

    def read_all(self) -> None:
        self.reader.read()

    def action_keys(self) -> None:
        from tui.screens.menus import show_keys

        show_keys(self)

    def action_commands(self) -> None:
        from tui.screens.menus import show_commands

        show_commands(self)

    def _fatal_error(self) -> None:
        """Ends without the toolkit's own traceback, which shows values raw: the caller reports the error in a line."""
        self._close_messages_no_wait()

    async def action_simulate_key(self, key: str) -> None:
        """Keys come from a person only."""

    def action_help_quit(self) -> None:
        self.say("q leaves memdeck")


def run_console(source: Engine | Opening, *, read_only: bool = False) -> int:
    """Runs the console until the operator leaves; the exit code. `Refused` where there is no terminal.

    An `Opening` is opened after the first paint, an engine that is open already is used as it is.
    """
    refuse_without_terminal(os.environ)
    measure_the_terminal_itself(os.environ)
    opening = source if isinstance(source, Opening) else Opening(source.workspace, lambda: source)
    app = MemdeckApp(opening, read_only=read_only, user_home=os.environ.get("HOME", ""))
    HangUp(app).install()
    code = app.run()
    app.bridge.close()
    if app._exception is not None:
        raise app._exception
    return code if code is not None else app.return_code or 0
