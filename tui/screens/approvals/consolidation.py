"""Shows a consolidation by another tool: the outcome of each entry, its note before and after, and plans."""

from textual.app import ComposeResult
from textual.containers import Container

from engine.lifecycle.consolidation.entry_fates import EntryRow
from engine.plans.diff import FileDiff
from engine.plans.planning import PlanOutcome
from engine.services.consolidations import ConsolidationItem
from tui.present.approvals import consolidations as view
from tui.present.spans import ListRow, Span, key_line
from tui.screens.list_beside_pane import ListBesideDiff
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine

_KEYS = key_line(
    ("space", "mark"), ("x", "revert these"), ("X", "revert all"), ("a", "keep as it is"), ("esc", "close")
)


class ConsolidationScreen(ListBesideDiff[str | None], scope="consolidation"):
    """Walks through a consolidation's entries; returns the plan to open, empty for none. Approves nothing."""

    def __init__(self, item: ConsolidationItem) -> None:
        super().__init__()
        self._item = item
        self._rows = item.account.changed
        self._marked: frozenset[int] = frozenset()
        self._diffs: dict[str, FileDiff] = {}

    @property
    def _row(self) -> EntryRow | None:
        return self._list.under(self._rows)

    def compose(self) -> ComposeResult:
        yield OneLine(ident="item")
        yield OneLine(ident="account")
        with Container(id="panes"):
            yield LineList(ident="entries", empty="no entry is changed: only headings and comments")
            yield DiffView(ident="diff")
        yield OneLine(ident="keys")

    def on_mount(self) -> None:
        first, account, *_ = view.head_lines(self._item)
        self.query_one("#item", OneLine).show(ListRow((*view.title(self._item)[:1], Span("  "), *first)))
        self.query_one("#account", OneLine).show(ListRow(account))
        self.query_one("#keys", OneLine).show(ListRow(_KEYS))
        self._list.focus()
        self._show_rows(0)
        item = self._item
        self.deck.bridge.read(lambda engine: engine.consolidations.diffs(item), self._took, self._could_not)

    def _took(self, diffs: tuple[FileDiff, ...]) -> None:
        self._diffs = {diff.path: diff for diff in diffs}
        self._show_entry()

    def _show_rows(self, at: int) -> None:
        self._list.name_it(view.entries_title(self._rows, self._marked), ())
        self._list.show(view.ConsolidatedEntryRows(self._rows, self._marked), at)
        self._show_entry()

    def _look(self, index: int) -> None:
        self._show_entry()

    def _show_entry(self) -> None:
        """Shows the outcome of the entry under the cursor above its note before and after."""
        row, pane = self._row, self._diff
        path = row.entry.path if row is not None else next(iter(self._diffs), "")
        pane.name_it(view.entry_title(row) if row is not None else (Span("Note", "title"),))
        if path not in self._diffs:
            pane.say((Span("reading…", "muted"),))
            return
        pane.show(self._diffs[path], view.entry_lines(row) if row is not None else (), {})

    # The operator's word

    def action_mark(self) -> None:
        if (row := self._row) is not None:
            self._marked ^= {row.number}
            self._show_rows(min(self._list.cursor + 1, len(self._rows) - 1))

    def action_revert(self) -> None:
        row = self._row
        numbers = tuple(sorted(self._marked)) or ((row.number,) if row is not None else ())
        if numbers:
            self._plan(numbers)
        else:
            self.deck.say("no entry is changed here: X plans reversing all of it", severity="warning")

    def action_revert_all(self) -> None:
        self._plan(())

    def _plan(self, numbers: tuple[int, ...]) -> None:
        name = self._item.consolidation.id
        if self.deck.may_write():
            self.deck.bridge.long("revert", lambda engine, _: engine.revert.consolidation(name, numbers), self._made)

    def _made(self, outcome: PlanOutcome) -> None:
        if plan := self.deck.took(outcome):
            self.dismiss(plan)

    def action_keep(self) -> None:
        """Keeps the notes as the tool made them, and removes the consolidation from the queue."""
        name = self._item.consolidation.id
        if self.deck.may_write():
            self.deck.bridge.long("keep", lambda engine, _: engine.consolidations.keep(name), self._kept)

    def _kept(self, item: ConsolidationItem) -> None:
        self.deck.read_all()
        self.deck.say(f"{item.consolidation.id} stays as {item.consolidation.title} made it", title="Kept")
        self.dismiss("")
