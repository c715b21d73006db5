"""Shows the agent's changes since the operator last looked: the notes, and the diff of the selected one."""

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Container

from engine.monitoring.agent_changes import AgentChange, SinceLook
from engine.plans.diff import FileDiff
from tui.present.overview import agent_changes as agent
from tui.present.overview.agent_changes import Key, LineFigures
from tui.present.spans import Span, key_line
from tui.screens.hosted import Rest
from tui.screens.list_beside_pane import ListBesideDiff
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

_SETTLE_SECONDS = 0.05  # a diff is read once the cursor rests on its note this long
_KEPT = 64  # diffs kept in memory
_KEYS = key_line(("←/→", "note"), ("n", "next difference"), ("x", "revert"))


class AgentChanges(ListBesideDiff[bool | None], scope="agent-changes"):
    """Returns whether the operator marked all changes as seen."""

    def __init__(self, since: SinceLook, figures: dict[Key, LineFigures], index: int, *, real_now: datetime) -> None:
        super().__init__()
        self._since, self._figures, self._index = since, figures, index
        self._real_now = real_now
        self._diffs: dict[Key, FileDiff] = {}
        self._settling = Rest(self)

    @property
    def change(self) -> AgentChange:
        return self._since.changes[self._index]

    def compose(self) -> ComposeResult:
        with Container(id="panes"):
            yield LineList(ident="notes")
            yield DiffView(ident="diff")

    def on_mount(self) -> None:
        self._show_list()
        self._show()

    def _show_list(self) -> None:
        title = agent.title(self._since, self._figures, self._real_now, page=True)
        mark = (Span("m", "key"), Span(" mark as seen  ", "muted")) if not self.deck.read_only else ()
        self._list.name_it(title, (*mark, Span("esc", "key"), Span(" back", "muted")))
        self._list.show(agent.AgentChangeRows(self._since, self._figures), self._index)

    def _look(self, index: int) -> None:
        self._index = index
        self._settling.after(0 if agent.key_of(self.change) in self._diffs else _SETTLE_SECONDS, self._show)

    def _show(self) -> None:
        change, view = self.change, self._diff
        diff = self._diffs.get(agent.key_of(change))
        view.name_it(agent.diff_title(change, diff, self._index, len(self._since.changes)), _KEYS)
        if diff is not None:
            view.show(diff, agent.preface(change, diff), {}, agent.flags_of(self._since, diff))
            return
        view.say((Span("reading…", "muted"),))
        self.deck.bridge.read(
            lambda engine: (agent.key_of(change), engine.changes.agent_diffs((change,))[0]), self._took, self._could_not
        )

    def _took(self, diff_of: tuple[Key, FileDiff]) -> None:
        key, diff = diff_of
        while len(self._diffs) >= _KEPT:
            self._diffs.pop(next(iter(self._diffs)))
        self._diffs[key] = diff
        self._figures.setdefault(key, agent.figures_of(diff))
        self._show_list()
        if agent.key_of(self.change) == key:
            self._show()

    def action_turn(self, by: int) -> None:
        self._list.action_move(by)

    def action_revert(self) -> None:
        """Plans the reversal of the note's change; in the diff, only of the hunk under the cursor."""
        view = self._diff
        hunk = f"#{view.hunk}" if view.has_focus and view.hunk else ""
        self.deck.flows.dry_runs.revert(f"{self.change.path}{hunk}")

    def action_mark(self) -> None:
        if self.deck.may_write():
            self.dismiss(True)
