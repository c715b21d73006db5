"""History: what was done, by whom, and can it be undone?"""

from typing import TYPE_CHECKING, ClassVar

import msgspec
from textual import events, on
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import Cancelled, MemdeckError
from engine.plans.operation import Operation
from engine.plans.past_effects import took_place
from tui.dialogs.text_reader import TextReader
from tui.present.history import audit_log
from tui.present.history import kept as kept_rows
from tui.present.history import operations as past
from tui.present.history.operations import History, Undoability
from tui.present.history.tags import tag_lines
from tui.present.spans import Line, ListRows, Span
from tui.present.words import safe
from tui.screens.history.panes import NAMES, HistoryPanes
from tui.screens.history.queries import STEP, Diffs, Tags, complete, read_history, read_tags, standing
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from engine.services.engine import Engine

_SETTLE_SECONDS = 0.06
"""An operation's diffs are read once the cursor rests on it this long."""
_EMPTY = "nothing was done yet\nwhat you approve is listed here,\nwith its diff, and can be undone"


class HistoryPage(HistoryPanes):
    """The operation under the cursor with its diffs, and the keys that lead to taking it back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo_this", "Undo…"),
        Binding("U", "redo_this", "Redo…"),
        Binding("right", "turn(1)", "File", key_display="←/→"),
        Binding("left", "turn(-1)", "Previous file", show=False),
        Binding("slash", "filter", "Filter"),
        Binding("r", "recall", "Recall…"),
        Binding("t", "tags", "Tags"),
    ]

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

    # Reading

    def enter(self) -> None:
        super().enter()
        self.read()

    def show_operations(self, operations: tuple[Operation, ...] | None) -> None:
        """Something was done while this page is up, or may have been."""
        if operations is not None and self.has_class("here"):
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
        lines = self.list_of("operations")
        lines.show_empty(past.none_matches(self.history, STEP) if self._filter else _EMPTY)
        lines.show(past.OperationRows(self._shown, self.deck.now()), index)
        self._selected = self._shown[lines.cursor].id if self._shown else ""
        self.name_panes(len(self._shown), self._filter)

    def show_tick(self) -> None:
        self.list_of("operations").show(past.OperationRows(self._shown, self.deck.now()))

    @on(LineList.Moved, "#operations")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._selected = self._shown[event.index].id
        self._settle(_SETTLE_SECONDS)
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
            head.show(((Span("Nothing selected.", "muted"),),) if self.history else ())
            self.list_of("files").name_it((Span("Files", "title"),), self.others("files"))
            self.list_of("files").show(ListRows())
            self.diff_view.name_it((Span("Diff", "title"),), self.others("past"))
            self.diff_view.say(*past.WELCOME if self.history is not None and not self.history.operations else ())
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
            self.deck.show_crumbs()
            self._show_files(operation, self._diffs.get(operation.id, ()))

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        event.stop()
        history = self.history
        self.deck.remember()
        match event.lines.id:
            case "operations":
                self.turn_to("files" if self.one_pane else "past")
            case "audit" if history is not None:
                self.app.push_screen(
                    TextReader(*audit_log.detail(history.records, history.findings or (), event.index))
                )
            case "kept" if history is not None and history.kept is not None:
                self.app.push_screen(TextReader(*kept_rows.detail(history.kept, history.undoable, event.index)))
            case _:
                self.turn_to("past")

    @on(DiffView.SourceWanted)
    def _source(self, event: DiffView.SourceWanted) -> None:
        event.stop()
        self.deck.say(self.why_not("open"))

    # Keys that lead to a decision; none of them decides

    def why_not(self, action: str) -> str:
        if action == "open":
            return "the plan, on key 2, says where a line came from; here enter opens folds"
        if action == "turn(1)" and self.operation is None:
            return past.why_not_undo(None)
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
        """Puts what was undone into the queue again, as a new plan."""
        self._lead("redo_this")

    def _lead(self, action: str) -> None:
        why, operation = self.why_not(action), self.operation
        if why or operation is None:
            self.deck.say(why, severity="warning")
        elif action == "undo_this":
            self.deck.flows.reversals.undo(operation.id)
        else:
            self.deck.flows.reversals.redo(operation.id)

    def action_recall(self) -> None:
        """Opens the past: the notes of any day, who wrote a line, when a text came and went."""
        from tui.screens.history.recall import RecallScreen

        self.app.push_screen(RecallScreen(self.deck.now()))

    def action_tags(self) -> None:
        """Shows the tags of memory, and the explorations and replays on branches of their own."""
        self.deck.bridge.read(read_tags, self._took_tags, self.deck.fail, group="tags")

    def _took_tags(self, found: Tags) -> None:
        self.app.push_screen(TextReader("Tags and explorations", tag_lines(*found, self.deck.now())))

    # Where one is

    def crumbs(self) -> tuple[str, ...]:
        """`History › o-20260315-0001 › 2/6 deploy.md`."""
        operation, here = self.operation, self.current
        if here in ("audit", "kept") or operation is None:
            return (*super().crumbs(), *((NAMES[here],) if here != "operations" else ()))
        if here == "operations":
            return super().crumbs()
        within = {"head": (), "files": (NAMES["files"],)}.get(here, (past.place(operation, self._file),))
        return (*super().crumbs(), safe(operation.id), *within)

    def spot(self) -> str:
        return f"{self.current} {self._file} {self._selected}"

    def return_to(self, spot: str) -> None:
        pane, number, op_id = spot.split(" ", 2)
        index = next((at for at, one in enumerate(self._shown) if one.id == op_id), None)
        if index is not None:
            self.list_of("operations").show(past.OperationRows(self._shown, self.deck.now()), index)
            self._selected = op_id
            self._show_operation()
            self._turn_to_file(int(number))
        self.turn_to(pane)

    # Filter and leaving

    def on_resize(self) -> None:
        self.show_days()
        self.call_after_refresh(self._name_all)

    def action_zoom(self) -> None:
        super().action_zoom()
        self._name_all()

    def _name_all(self) -> None:
        self.name_panes(len(self._shown), self._filter)
        self._show_operation()

    def action_filter(self) -> None:
        """Opens the filter under the operations; in another pane, finds."""
        if self.current != "operations":
            self.action_find()
            return
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
        """Goes to what matches; where nothing does, looks among older operations and stays."""
        event.stop()
        if self._shown or not self._read_on():
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
            self.list_of("operations").action_move(1 if event.key == "down" else -1)
