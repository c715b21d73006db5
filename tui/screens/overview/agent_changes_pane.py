"""Shows the agent's changes since the last look as a pane, with the diff of the selected one beside."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from engine.errors import MemdeckError
from engine.monitoring.agent_changes import AgentChange, SinceLook
from engine.plans.diff import FileDiff
from tui.present.overview import agent_changes as agent
from tui.present.overview.agent_changes import Key, LineFigures
from tui.present.spans import Line, Span, error_lines
from tui.screens.hosted import Hosted
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.services.engine import Engine

_COUNTED = 200  # changes of the agent whose lines are counted at once; those of others when they are opened


class SincePane(Hosted, LineList):
    """A row for each changed note; `enter` opens all diffs."""

    class Changed(Message):
        """Says that the list changed."""

    def __init__(self, peek: DiffView, real_now: Callable[[], datetime]) -> None:
        super().__init__(ident="since", empty="comparing…")
        self.since: SinceLook | None = None
        self.figures: dict[Key, LineFigures] = {}
        self._diffs: dict[Key, FileDiff] = {}
        self._peek, self._real_now = peek, real_now

    def took(self, since: SinceLook) -> None:
        self.since = since
        self.show_since()
        self._count_lines()

    def could_not(self, error: MemdeckError) -> None:
        self.show_empty("", error_lines(error))

    def show_since(self) -> None:
        self.show_empty("", agent.empty(self.since, self._real_now(), read_only=self.deck.read_only))
        self.show(agent.AgentChangeRows(self.since, self.figures))
        self._show_peek()
        self.post_message(self.Changed())
        self.refresh_bindings()

    @on(LineList.Moved)
    def _show_peek(self) -> None:
        """Shows the diff of the selected change, if there is room."""
        changes, at = (self.since.changes if self.since else ()), self.cursor
        diff = self._diffs.get(agent.key_of(changes[at])) if at < len(changes) else None
        # Of all that is on the page it shows `peek` alone.
        self.query_ancestor(Page).set_class(diff is not None, "peeks", update=False)
        view = self._peek
        view.update_node_styles()
        if diff is not None and diff is not view.showing:
            view.name_it(agent.diff_title(changes[at], diff, at, len(changes)))
            view.show(diff, agent.preface(changes[at], diff), {}, agent.flags_of(self.since, diff))

    def _count_lines(self) -> None:
        """Counts the lines of new changes, a few hundred at once."""
        changes = self.since.changes[:_COUNTED] if self.since else ()
        self.figures = {key: known for change in changes if (known := self.figures.get(key := agent.key_of(change)))}
        new = tuple(change for change in changes if agent.key_of(change) not in self.figures)
        self._diffs = {key: self._diffs[key] for key in self.figures if key in self._diffs}
        if not new:
            return

        def count(engine: "Engine") -> tuple[tuple[AgentChange, FileDiff], ...]:
            return tuple(zip(new, engine.changes.agent_diffs(new), strict=True))

        self.deck.bridge.read(count, self._counted, lambda _: None)

    def _counted(self, counted: tuple[tuple[AgentChange, FileDiff], ...]) -> None:
        self.figures |= {agent.key_of(change): agent.figures_of(diff) for change, diff in counted}
        self._diffs |= {agent.key_of(change): diff for change, diff in counted}
        self.show_since()

    def title(self, *, brief: bool) -> Line:
        """Returns the title of the pane; `brief` if another pane is in front."""
        if not brief:
            return agent.title(self.since, self.figures, self._real_now())
        many = str(len(self.since.changes)) if self.since and self.since.changes else ""
        return (Span("Agent", "title"), *((Span(f" {many}", "accent"),) if many else ()))

    def open_changes(self, index: int) -> None:
        from tui.screens.overview.agent_changes import AgentChanges

        since = self.since
        if since is None or index >= len(since.changes):
            return

        def closed(marked: bool | None) -> None:
            self.show_since()
            if marked:
                self._mark(since)

        self.app.push_screen(AgentChanges(since, self.figures, index, real_now=self._real_now()), closed)

    def lacks_agent_changes(self) -> str:
        none = self.since is not None and self.since.looked_at is not None and not self.since.changes
        return "the agent changed nothing since your last look" if none else ""

    def action_mark_looked(self) -> None:
        if self.since is not None:
            self._mark(self.since)

    def _mark(self, shown: SinceLook) -> None:
        def mark(engine: "Engine") -> SinceLook:
            engine.review.looked(shown.changes if shown.looked_at is not None else None)
            return engine.review.since_looked(flags=True)

        self.deck.bridge.look(mark, self._marked)

    def _marked(self, since: SinceLook) -> None:
        self.since = since
        self.show_since()
        self.deck.say("what the agent changes from now on is listed here", title="Marked as seen")
