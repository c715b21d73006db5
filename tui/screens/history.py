"""History: what was done, by whom, and can it be taken back?"""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.operation import Operation
from engine.plans.past import took_place
from tui.port import Engine
from tui.screens.page import Page
from tui.screens.reading import Reading
from tui.viewmodels import audit_log
from tui.viewmodels import diff as diffs
from tui.viewmodels import history as past
from tui.viewmodels import kept as kept_rows
from tui.viewmodels.history import History, Standing
from tui.viewmodels.spans import Line, ListRows, Span
from tui.viewmodels.wording import safe
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.text_pane import TextPane

_SETTLE_SECONDS = 0.06
"""An operation's diffs are read once the cursor rests on it this long."""
_RECORDS = 2_000
"""Records of the audit log that are listed; all of them are verified."""
_TRIED = 30
"""The newest operations of which it is worked out at once whether they can be taken back; of others when opened."""
_EMPTY = "nothing was done yet\nwhat you approve is listed here,\nwith its diff, and can be taken back"
_NAMES = {
    "operations": "Operations",
    "files": "Files",
    "head": "Operation",
    "past": "Diff",
    "audit": "Audit log",
    "kept": "Kept",
}
Diffs = tuple[FileDiff, ...]


class HistoryPage(Page):
    """Operations, the files and the diff of one of them; below, the audit log and what is kept."""

    PANES: ClassVar[tuple[str, ...]] = ("operations", "files", "head", "past", "audit", "kept")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    HistoryPage { layout: vertical; }
    HistoryPage #upper { height: 1fr; }
    HistoryPage #lower { height: 9; }
    HistoryPage #list { width: 42%; max-width: 72; height: 1fr; }
    HistoryPage #one { width: 1fr; height: 1fr; }
    HistoryPage .pane { border: round $border-blurred; padding: 0; }
    HistoryPage .pane:focus { border: round $border; }
    HistoryPage #operations { height: 2fr; }
    HistoryPage #files { height: 1fr; min-height: 8; }
    HistoryPage #head { height: 9; padding: 0 1; }
    HistoryPage #audit { width: 3fr; }
    HistoryPage #kept { width: 2fr; }
    HistoryPage #sieve { display: none; height: 1; border: none; padding: 0 1; background: $surface; }
    HistoryPage #sieve.shown { display: block; }
    .-short HistoryPage #lower { height: 6; }
    .-narrow HistoryPage .pane, HistoryPage.zoom .pane { display: none; }
    .-narrow HistoryPage .pane.current, HistoryPage.zoom .pane.current { display: block; height: 1fr; }
    .-narrow HistoryPage #head, HistoryPage.zoom #head, .-narrow HistoryPage #files, HistoryPage.zoom #files {
        height: 1fr;
    }
    .-narrow HistoryPage #audit, HistoryPage.zoom #audit, .-narrow HistoryPage #kept, HistoryPage.zoom #kept {
        width: 1fr;
    }
    .-narrow HistoryPage #list, .-narrow HistoryPage #one { width: 1fr; max-width: 100%; }
    HistoryPage.zoom #list, HistoryPage.zoom #one { width: 1fr; max-width: 100%; }
    .-narrow HistoryPage #lower, HistoryPage.zoom #lower { height: 1fr; display: none; }
    .-narrow HistoryPage.at-audit #lower, .-narrow HistoryPage.at-kept #lower { display: block; }
    HistoryPage.zoom.at-audit #lower, HistoryPage.zoom.at-kept #lower { display: block; }
    .-narrow HistoryPage.at-audit #upper, .-narrow HistoryPage.at-kept #upper { display: none; }
    HistoryPage.zoom.at-audit #upper, HistoryPage.zoom.at-kept #upper { display: none; }
    .-narrow HistoryPage.at-head #list, .-narrow HistoryPage.at-past #list { display: none; }
    HistoryPage.zoom.at-head #list, HistoryPage.zoom.at-past #list { display: none; }
    .-narrow HistoryPage.at-operations #one, .-narrow HistoryPage.at-files #one { display: none; }
    HistoryPage.zoom.at-operations #one, HistoryPage.zoom.at-files #one { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo_this", "Take back…"),
        Binding("U", "redo_this", "Do again…"),
        Binding("right", "turn(1)", "File", key_display="←/→"),
        Binding("left", "turn(-1)", "Previous file", show=False),
        Binding("slash", "filter", "Filter"),
    ]

    def __init__(self) -> None:
        super().__init__(id="history")
        self.history: History | None = None
        self._shown: tuple[Operation, ...] = ()
        self._filter = ""
        self._selected = ""
        self._file = 0
        self._diffs: dict[str, Diffs] = {}
        self._standing: dict[str, Standing] = {}
        self._settling: Timer | None = None

    def on_mount(self) -> None:
        for name in self.PANES:
            self.pane(name).add_class("pane")
        self._name_panes()

    def compose(self) -> ComposeResult:
        with Horizontal(id="upper"):
            with Vertical(id="list"):
                yield LineList(ident="operations", empty="reading…")
                yield Input(
                    compact=True,
                    id="sieve",
                    placeholder="filter: words of system, path, state, plan, tier:c",
                    select_on_focus=False,
                )
                yield LineList(ident="files")
            with Vertical(id="one"):
                yield TextPane(ident="head", hang=diffs.LABEL)
                yield DiffView(ident="past")
        with Horizontal(id="lower"):
            yield LineList(ident="audit", empty="reading…")
            yield LineList(ident="kept", empty="reading…")

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def _diff(self) -> DiffView:
        return self.query_one("#past", DiffView)

    # Reading

    def enter(self) -> None:
        super().enter()
        self.read()

    def show_operations(self, operations: tuple[Operation, ...] | None) -> None:
        """Something was done while this page is up, or may have been."""
        if operations is not None and self.has_class("here"):
            self.read()

    def read(self) -> None:
        """Reads operations, audit log and what is kept, and verifies the log's chain."""
        self.deck.bridge.look(_read, self._took, self._could_not, group="history")

    def _took(self, history: History) -> None:
        if self.history is None or self.history.operations != history.operations:
            self._diffs.clear()
            self._standing.clear()
        self.history = history
        now = self.deck.now()
        audit, kept = self._list("audit"), self._list("kept")
        audit.show_empty("no record yet")
        audit.show(audit_log.AuditRows(history.records, history.findings, now))
        kept.show_empty("nothing was displaced yet\nwhat an operation replaces is kept here for good")
        kept.show(ListRows(kept_rows.rows(history.kept, history.undoable, now)))
        self._standing |= dict(history.standing)
        self._show_list()
        self._settle(0)

    def _could_not(self, error: MemdeckError) -> None:
        self._list("operations").show_empty(f"✗ {error.title}\n{safe(error.line())}")
        self.deck.fail(error)

    # The operations

    @property
    def operation(self) -> Operation | None:
        """The operation under the cursor."""
        return next((one for one in self._shown if one.id == self._selected), None)

    def _show_list(self) -> None:
        """The rows, with the cursor on the operation it was on."""
        operations = self.history.operations if self.history else ()
        self._shown = past.matching(operations, self._filter)
        index = next((i for i, one in enumerate(self._shown) if one.id == self._selected), 0)
        lines = self._list("operations")
        lines.show_empty("no operation matches\nesc clears the filter" if self._filter else _EMPTY)
        lines.show(past.OperationRows(self._shown, self.deck.now()), index)
        self._selected = self._shown[lines.cursor].id if self._shown else ""
        self._name_panes()

    def show_tick(self) -> None:
        self._list("operations").show(past.OperationRows(self._shown, self.deck.now()))

    @on(LineList.Moved, "#operations")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._selected = self._shown[event.index].id
        self._settle(_SETTLE_SECONDS)

    def _settle(self, seconds: float) -> None:
        """Shows the operation under the cursor, now if its diffs were read, else once the cursor rests."""
        if self._settling is not None:
            self._settling.stop()
        self._file = 0
        if not seconds or self.operation is None or self.operation.id in self._diffs:
            self._show_operation()
        else:
            self._settling = self.set_timer(seconds, self._show_operation)

    def _show_operation(self) -> None:
        self.refresh_bindings()
        operation = self.operation
        head = self.query_one("#head", TextPane)
        if operation is None:
            head.name_it((Span("Operation", "title"),), self._others("head"))
            head.show(((Span("Nothing selected.", "muted"),),) if self.history else ())
            self._list("files").show(ListRows())
            self._diff.name_it((Span("Diff", "title"),), self._others("past"))
            self._diff.say()
            return
        head.name_it(past.title(operation), self._others("head"))
        head.show(past.head(operation, self.deck.now(), self._standing.get(operation.id)))
        found = self._diffs.get(operation.id)
        if found is None:
            self._diff.say((Span("reading…", "muted"),))
            self._read_diffs(operation, self._standing.get(operation.id))
        self._show_files(operation, found or ())

    def _read_diffs(self, operation: Operation, known: Standing | None) -> None:
        def read(engine: Engine) -> tuple[str, Diffs, Standing]:
            return operation.id, engine.operation_diffs(operation.id), known or _standing(engine, operation)

        self.deck.bridge.look(read, self._took_diffs, self._no_diffs, group="past")

    def _took_diffs(self, found: tuple[str, Diffs, Standing]) -> None:
        op_id, self._diffs[found[0]], self._standing[found[0]] = found
        operation = self.operation
        if operation is not None and operation.id == op_id:
            self.query_one("#head", TextPane).show(past.head(operation, self.deck.now(), found[2]), keep_place=True)
            self._show_files(operation, found[1])

    def _no_diffs(self, error: MemdeckError) -> None:
        self._diff.say((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line())),))

    def _show_files(self, operation: Operation, found: Diffs) -> None:
        self._list("files").show(past.FileRows(operation, found), self._file)
        total = len(took_place(operation))
        place = f" {self._file + 1}/{total}" if total else ""
        self._list("files").name_it((Span("Files", "title"), Span(place, "accent")), self._others("files"))
        if self._file < len(found):
            diff = found[self._file]
            self._diff.name_it(past.diff_title(diff, self._file, total), self._others("past"))
            self._diff.show(diff, past.diff_note(diff), {})
        elif operation.id in self._diffs:
            self._diff.name_it((Span("Diff", "title"),), self._others("past"))
            self._diff.say((Span("nothing of it took place", "muted"),))

    @on(LineList.Moved, "#files")
    def _moved_in_files(self, event: LineList.Moved) -> None:
        event.stop()
        self._turn_to_file(event.index)

    def action_turn(self, by: int) -> None:
        """To the next or previous file."""
        self._turn_to_file(self._file + by)

    def _turn_to_file(self, index: int) -> None:
        operation = self.operation
        total = len(took_place(operation)) if operation is not None else 0
        if operation is not None and total:
            self._file = max(0, min(index, total - 1))
            self._show_files(operation, self._diffs.get(operation.id, ()))

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        event.stop()
        history = self.history
        match event.lines.id:
            case "operations":
                self.turn_to("files" if self.one_pane else "past")
            case "audit" if history is not None:
                self.app.push_screen(Reading(*audit_log.detail(history.records, history.findings, event.index)))
            case "kept" if history is not None:
                self.app.push_screen(Reading(*kept_rows.detail(history.kept, history.undoable, event.index)))
            case _:
                self.turn_to("past")

    @on(DiffView.SourceWanted)
    def _source(self, event: DiffView.SourceWanted) -> None:
        event.stop()

    # Keys that lead to a decision; none of them decides

    def why_not(self, action: str) -> str:
        if action not in ("undo_this", "redo_this"):
            return ""
        if self.deck.read_only:
            return "read-only: the console was started with --read-only"
        if self.deck.bridge.work is not None:
            return f"wait: {self.deck.bridge.work.title} is under way"
        operation = self.operation
        if action == "redo_this":
            return past.why_not_redo(operation)
        known = self._standing.get(operation.id) if operation is not None else None
        return past.why_not_undo(operation) or (known.refused if known is not None else "")

    def action_undo_this(self) -> None:
        """Shows the reverse diff and asks: the same dialog as everywhere (decision G20)."""
        self._lead("undo_this")

    def action_redo_this(self) -> None:
        """Puts what was taken back into the queue again, as a new plan."""
        self._lead("redo_this")

    def _lead(self, action: str) -> None:
        why, operation = self.why_not(action), self.operation
        if why or operation is None:
            self.deck.say(why, severity="warning")
        elif action == "undo_this":
            self.deck.flows.undo(operation.id)
        else:
            self.deck.flows.redo(operation.id)

    # Names, filter and leaving

    def _others(self, name: str) -> Line:
        """What `tab` leads to, where panes share the room."""
        if not self.one_pane:
            return ()
        at = self.PANES.index(name)
        rest = [_NAMES[other] for other in (*self.PANES[at + 1 :], *self.PANES[:at])]
        return (Span("tab ", "key"), Span(" · ".join(rest), "muted"))

    def _name_panes(self) -> None:
        """Titles of the panes that are there whatever operation is selected."""
        operations: Line = (Span("Operations", "title"), Span(f" ⟨{len(self._shown):,}⟩", "muted"))
        if self._filter:
            operations += (Span(f" /{safe(self._filter)}", "warn"),)
        self._list("operations").name_it(operations, self._others("operations"))
        history = self.history
        log = audit_log.title(None)
        kept = kept_rows.title(None)
        if history is not None:
            log = audit_log.title(history.records, history.findings, more=len(history.records) == _RECORDS)
            kept = kept_rows.title(history.kept, history.undoable)
        self._list("audit").name_it(log, self._others("audit"))
        legend = kept_rows.foot(history.kept if history is not None else None)
        self._list("kept").name_it(kept, self._others("kept") or legend)

    def on_resize(self) -> None:
        self.call_after_refresh(self._name_all)

    def action_zoom(self) -> None:
        super().action_zoom()
        self._name_all()

    def _name_all(self) -> None:
        self._name_panes()
        self._show_operation()

    def action_filter(self) -> None:
        """Opens the filter under the operations."""
        self.turn_to("operations")
        field = self.query_one("#sieve", Input)
        field.value = self._filter
        field.set_class(True, "shown")
        field.focus()

    @on(Input.Changed, "#sieve")
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._filter:
            self._filter = event.value
            self._show_list()
            self._settle(_SETTLE_SECONDS)

    @on(Input.Submitted, "#sieve")
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        self._close_filter()

    def _close_filter(self) -> None:
        self.query_one("#sieve", Input).set_class(False, "shown")
        self.turn_to("operations")

    def leave(self) -> bool:
        field = self.query_one("#sieve", Input)
        if field.has_focus or self._filter:
            field.value = self._filter = ""
            self._close_filter()
            self._show_list()
            self._settle(0)
            return True
        if super().leave():
            return True
        if self.current != "operations":
            self.turn_to("files" if self.current == "past" and self.one_pane else "operations")
            return True
        return False

    def on_key(self, event: events.Key) -> None:
        field = self.query_one("#sieve", Input)
        if field.has_focus and event.key in ("down", "up"):
            event.stop()
            self._list("operations").action_move(1 if event.key == "down" else -1)


def _read(engine: Engine) -> History:
    operations = engine.operations()
    newest = [one for one in operations if not past.why_not_undo(one)][:_TRIED]
    standing = {one.id: _standing(engine, one) for one in newest}
    return History(operations, engine.audit(_RECORDS), engine.verify(), engine.kept(), standing)


def _standing(engine: Engine, operation: Operation) -> Standing:
    """Whether an operation can be taken back now, and if not, what is in its way."""
    if past.why_not_undo(operation):
        return Standing()
    try:
        return Standing(len(engine.reversal(operation.id).effects))
    except MemdeckError as error:
        return Standing(refused=error.line())
