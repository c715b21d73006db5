"""The operation under the cursor of History: read with its diffs once the cursor rests, and shown file by file."""

from typing import TYPE_CHECKING

import msgspec
from textual import on
from textual.timer import Timer

from engine.errors import Cancelled, MemdeckError
from engine.plans.operation import Operation
from engine.plans.past_effects import took_place
from tui.bridge.facts import OperationsRead, TimePassed
from tui.present.history import audit_log
from tui.present.history import kept as kept_rows
from tui.present.history import operations as past
from tui.present.history.operations import History, Undoability
from tui.present.spans import NOTHING_SELECTED, Line, ListRows, Span
from tui.present.words import safe
from tui.screens.history.panes import HistoryPanes
from tui.screens.history.queries import STEP, Diffs, complete, read_history, standing
from tui.widgets.line_list import LineList
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from engine.services.engine import Engine

SETTLE_SECONDS = 0.06
"""An operation's diffs are read once the cursor rests on it this long."""
_EMPTY = "nothing was done yet\nwhat you approve is listed here,\nwith its diff, and can be undone"


class SelectedOperation(HistoryPanes):
    """Reads operations, newest first, and the diffs of one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Operation, ...] = ()
        self._limit = STEP
        self._filter = ""
        self._selected = ""
        self._file = 0
        self._diffs: dict[str, Diffs] = {}
        self._standing: dict[str, Undoability] = {}
        self._settling: Timer | None = None

    def enter(self) -> None:
        super().enter()
        self.read()

    def on_mount(self) -> None:
        self.deck.facts.follow(OperationsRead, self._read_if_here)
        self.deck.facts.follow(TimePassed, self._show_ages)

    def _read_if_here(self, _: OperationsRead) -> None:
        """Something was done while this page is up, or may have been."""
        if self.has_class("here"):
            self.read()

    def read(self) -> None:
        """Reads the newest operations and records, then verifies the log's chain and lists what is kept."""
        limit = self._limit
        self.deck.bridge.read(
            lambda engine: read_history(engine, limit), self._took_first, self._could_not, group="history"
        )

    def _took_first(self, found: History) -> None:
        """Shows what is there at once, with what was found out before about the same, and finds out the rest."""
        before = self.history
        if before is not None:
            found = msgspec.structs.replace(found, findings=before.findings, kept=before.kept, standing=before.standing)
        self._took(found)
        self.deck.bridge.look_on(
            "reading the history",
            lambda engine, tick: complete(engine, found, tick),
            self._took_rest,
            self._could_not,
            group="history-whole",
        )
        self.deck.show_work_soon()

    def _took(self, history: History) -> None:
        if self.history is None or self.history.operations != history.operations:
            self._diffs.clear()
            self._standing.clear()
        self._show_rest(history)
        self._show_list()
        self._settle(0)

    def _took_rest(self, whole: History) -> None:
        """Shows what took longer, and leaves what the operator looks at where it is."""
        if self.history is None or self.history.operations != whole.operations:
            return  # of an earlier read: the next one follows
        self._show_rest(whole)
        self.name_panes(len(self._shown), self._filter)
        if self.operation is not None:
            self.query_one("#head", TextPane).show(self._head_of(self.operation), keep_place=True)
        self.refresh_bindings()

    def _show_rest(self, history: History) -> None:
        self.history = history
        self.show_days()
        now = self.deck.now()
        audit, kept = self.list_of("audit"), self.list_of("kept")
        audit.show_empty("no record yet")
        audit.show(audit_log.AuditRows(history.records, history.findings or (), now))
        kept.show_empty("nothing was displaced yet\nwhat an operation replaces is kept here for good")
        if history.kept is not None:
            kept.show(ListRows(kept_rows.rows(history.kept, history.undoable, now)))
        self._standing |= dict(history.standing)

    def _could_not(self, error: MemdeckError) -> None:
        if isinstance(error, Cancelled) and self.history is not None:
            return
        self.list_of("operations").show_empty(f"✗ {error.title}\n{safe(error.line())}")
        self.deck.fail(error)

    @property
    def operation(self) -> Operation | None:
        """The operation under the cursor."""
        return next((one for one in self._shown if one.id == self._selected), None)

    def _show_list(self) -> None:
        """The rows, with the cursor on the operation it was on."""
        operations = self.history.operations if self.history else ()
        self._shown = past.matching(operations, self._filter)
        index = next((i for i, one in enumerate(self._shown) if one.id == self._selected), 0)
        lines = self.list_of("operations")
        lines.show_empty(past.none_matches(self.history, STEP) if self._filter else _EMPTY)
        lines.show(past.OperationRows(self._shown, self.deck.now()), index)
        self._selected = self._shown[lines.cursor].id if self._shown else ""
        self.name_panes(len(self._shown), self._filter)

    def _show_ages(self, _: TimePassed) -> None:
        self.list_of("operations").show(past.OperationRows(self._shown, self.deck.now()))

    @on(LineList.Moved, "#operations")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._selected = self._shown[event.index].id
        self._settle(SETTLE_SECONDS)
        if event.index == len(self._shown) - 1:
            self._read_on()

    def _read_on(self) -> bool:
        """Reads further operations; False where all there are were read."""
        if self.history is None or not self.history.more:
            return False
        self._limit = len(self.history.operations) + STEP
        self.read()
        return True

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
            head.name_it((Span("Operation", "title"),), self.others("head"))
            nothing = NOTHING_SELECTED if self.history is not None else ((Span("reading…", "muted"),),)
            head.show(nothing)
            self.list_of("files").name_it((Span("Files", "title"),), self.others("files"))
            self.list_of("files").show_empty("", nothing)
            self.list_of("files").show(ListRows())
            self.diff_view.name_it((Span("Diff", "title"),), self.others("past"))
            new = self.history is not None and not self.history.operations
            self.diff_view.say(*past.WELCOME if new else nothing)
            return
        head.name_it(past.title(operation), self.others("head"))
        head.show(self._head_of(operation))
        found = self._diffs.get(operation.id)
        if found is None:
            self.diff_view.say((Span("reading…", "muted"),))
            self._read_diffs(operation, self._standing.get(operation.id))
        self._show_files(operation, found or ())

    def _head_of(self, operation: Operation) -> tuple[Line, ...]:
        standing = self._standing.get(operation.id)
        return past.head(operation, self.deck.now(), standing, read_only=self.deck.read_only)

    def _read_diffs(self, operation: Operation, known: Undoability | None) -> None:
        def read(engine: "Engine") -> tuple[str, Diffs, Undoability]:
            return operation.id, engine.history.diffs(operation.id), known or standing(engine, operation)

        self.deck.bridge.read(read, self._took_diffs, self._no_diffs, group="past")

    def _took_diffs(self, found: tuple[str, Diffs, Undoability]) -> None:
        op_id, self._diffs[found[0]], self._standing[found[0]] = found
        operation = self.operation
        if operation is not None and operation.id == op_id:
            self.query_one("#head", TextPane).show(self._head_of(operation), keep_place=True)
            self._show_files(operation, found[1])

    def _no_diffs(self, error: MemdeckError) -> None:
        self.diff_view.say((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line())),))

    def _show_files(self, operation: Operation, found: Diffs) -> None:
        self.list_of("files").show_empty("no file" if operation.id in self._diffs else "reading…")
        self.list_of("files").show(past.FileRows(operation, found), self._file)
        total = len(took_place(operation))
        place = f" {self._file + 1:,}/{total:,}" if total else ""
        self.list_of("files").name_it((Span("Files", "title"), Span(place, "accent")), self.others("files"))
        if self._file < len(found):
            diff = found[self._file]
            self.diff_view.name_it(past.diff_title(diff, self._file, total), self.others("past"))
            self.diff_view.show(diff, past.diff_note(diff), {})
        elif operation.id in self._diffs:
            self.diff_view.name_it((Span("Diff", "title"),), self.others("past"))
            self.diff_view.say((Span("nothing of it took place", "muted"),))

    def _turn_to_file(self, index: int) -> None:
        operation = self.operation
        total = len(took_place(operation)) if operation is not None else 0
        if operation is not None and total:
            self._file = max(0, min(index, total - 1))
            self.deck.show_crumbs()
            self._show_files(operation, self._diffs.get(operation.id, ()))
