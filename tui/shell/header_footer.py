"""Draws the lines at the edges of the console: header, crumbs, work under way, hints."""

from operator import itemgetter
from time import monotonic

from textual.app import ComposeResult
from textual.binding import ActiveBinding

from tui.keys.caps import key_name
from tui.keys.naming import actions_of, why_not, words_of
from tui.present import header_hints
from tui.present.approvals import queue_rows
from tui.present.spans import Line
from tui.shell.host import ShellHost
from tui.shell.tour_invitation import INVITATION, INVITATION_BRIEF
from tui.widgets.one_line import OneLine

_WIDE = 140  # cells from which on the whole invitation stands beside the hints


class HeaderFooter:
    """Owns the four lines and fills them."""

    def __init__(self, app: ShellHost, workspace: str) -> None:
        self._app, self._workspace = app, workspace
        self._owes_hints = False
        self._hinted: dict[str, ActiveBinding] = {}
        self.header, self.crumbs, self.work, self.hints = (
            OneLine(ident=name) for name in ("header", "crumbs", "work", "hints")
        )

    def above(self) -> ComposeResult:
        yield self.header
        yield self.crumbs

    def below(self) -> ComposeResult:
        yield self.work
        yield self.hints

    def show(self) -> None:
        self.show_header()
        self.show_hints()

    def show_header(self) -> None:
        app = self._app
        what_if = f"{app.now():%Y-%m-%d %H:%M}" if app.status and app.status.simulated_clock else ""
        badges = header_hints.Badges(queue_rows.waiting(app.entries), app.read_only, what_if, len(app.news.unseen))
        workspace = "" if self.crumbs.region.height > 0 else self._workspace
        self.header.show(header_hints.header(workspace, app.stage.here, badges, self.header.content_size.width or 1000))
        self.show_crumbs()

    def show_crumbs(self) -> None:
        width = self.crumbs.content_size.width
        self.crumbs.show(header_hints.crumbs((self._workspace, *self._app.page.crumbs()), self._right(), width))

    def owe_hints(self) -> None:
        """Updates the hints after the current key, once however often it is asked."""
        if not self._owes_hints:
            self._owes_hints = True
            self._app.call_next(self.show_hints)

    def show_hints(self) -> None:
        self._owes_hints = False
        if len(self._app.screen_stack) == 1:  # none are left where the console ends with hints still owed
            width, right = self.hints.content_size.width, () if self.crumbs.region.height else self._right()
            keep = INVITATION_BRIEF if right is INVITATION and width < _WIDE else ()
            self.hints.show(header_hints.hints(self._groups(), width, right, keep=keep))
            self.show_crumbs()

    def _right(self) -> Line:
        """Returns the invitation for a newcomer, else how tokens are counted and what is available."""
        return (
            INVITATION if self._app.welcome.inviting else header_hints.facts(self._app.status, unread=self._app.unread)
        )

    def _groups(self) -> list[list[header_hints.Hint]]:
        """Groups the keys of the focused pane, of the screen, and of the application; each action once."""
        groups: dict[int, list[tuple[int, header_hints.Hint]]] = {0: [], 1: [], 2: []}
        self._hinted.clear()
        seen: set[str] = set()
        for key, active in self._app.screen_stack[0].active_bindings.items():
            binding = active.binding
            if binding.show and binding.action not in seen:
                seen.add(binding.action)
                shown = binding.key_display or key_name(key)
                self._hinted.setdefault(shown, active)
                hint = header_hints.Hint(shown, words_of(active.node, binding), why_not(active.node, binding.action))
                at = [*actions_of(type(active.node)), binding.action].index(binding.action)
                groups[self._app.reach(active.node)].append((at, hint))
        return [[hint for _, hint in sorted(groups[number], key=itemgetter(0))] for number in sorted(groups)]

    async def do_hint(self, column: int) -> None:
        """Performs the hint at a column as its key would; a dim one says why it cannot."""
        active = self._hinted.get(header_hints.hint_at(self.hints.row, column) or "")
        if active is not None:
            await self._app.run_action(active.binding.action, active.node)

    def show_work(self) -> None:
        """Shows the progress of long work in its own line, while there is any."""
        work = self._app.bridge.shown
        if not self.work.is_attached:  # a timer may come once more while the console is being left
            return
        if self.work.has_class("shown") != (work is not None):
            self.work.set_class(work is not None, "shown")
            self.work.screen.query("ToastRack").set_class(work is not None, "raised")  # no toast lies over the line
        if work is not None:
            step = work.progress
            rest = work.pace.rest(step, monotonic())
            self.work.show(header_hints.progress(work.title, step, work.cancelled.is_set(), rest=rest))
