"""History: what was done, by whom, and can it be undone?"""

from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from tui.dialogs.text_reader import TextReader
from tui.keys.naming import bindings
from tui.present.history import audit_log
from tui.present.history import kept as kept_rows
from tui.present.history import operations as past
from tui.present.history.tags import tag_lines
from tui.present.words import safe
from tui.screens.history.queries import Tags, read_tags
from tui.screens.history.selected_operation import SETTLE_SECONDS, SelectedOperation
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    pass


class HistoryPage(SelectedOperation):
    """The operation under the cursor with its diffs, and the keys that lead to taking it back."""

    BINDINGS = bindings("HistoryPage")

    @on(LineList.Moved, "#files")
    def _moved_in_files(self, event: LineList.Moved) -> None:
        event.stop()
        self._turn_to_file(event.index)

    def action_turn(self, by: int) -> None:
        """To the next or previous file."""
        self._turn_to_file(self._file + by)

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

    # Keys that lead to a decision; none of them decides

    def lacks_source(self) -> str:
        opens = self.diff_view.opens
        return "" if opens else "the plan, on key 2, says where a line came from; here enter opens folds"

    def lacks_operation(self) -> str:
        return "" if self.operation is not None else past.why_not_undo(None)

    def lacks_undoable(self) -> str:
        operation = self.operation
        known = self._standing.get(operation.id) if operation is not None else None
        return past.why_not_undo(operation) or (known.refused if known is not None else "")

    def lacks_redoable(self) -> str:
        return past.why_not_redo(self.operation)

    def action_undo_this(self) -> None:
        """Shows the reverse diff and asks: the same dialog as everywhere (decision G20)."""
        self.deck.flows.reversals.undo(self._selected)

    def action_redo_this(self) -> None:
        """Puts what was undone into the queue again, as a new plan."""
        self.deck.flows.reversals.redo(self._selected)

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
            return (*super().crumbs(), *((self.NAMES[here],) if here != "operations" else ()))
        if here == "operations":
            return super().crumbs()
        within = {"head": (), "files": (self.NAMES["files"],)}.get(here, (past.place(operation, self._file),))
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
            self.deck.action_find_here()
            return
        self._field.open(self._filter)

    @on(Input.Changed, "#sieve")
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._filter:
            self._filter = event.value
            self._show_list()
            self._settle(SETTLE_SECONDS)

    @on(Input.Submitted, "#sieve")
    def _filter_done(self, event: Input.Submitted) -> None:
        """Goes to what matches; where nothing does, looks among older operations and stays."""
        event.stop()
        if self._shown or not self._read_on():
            self._close_filter()

    @property
    def _field(self) -> FilterField:
        return self.query_one(FilterField)

    def _close_filter(self) -> None:
        self._field.close()
        self.turn_to("operations")

    def leave(self) -> bool:
        if self._field.has_focus or self._filter:
            self._field.value = self._filter = ""
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
