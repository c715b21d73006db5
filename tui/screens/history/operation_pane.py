"""Shows one operation as a pane: its head, and the diffs of its files, read when it is selected."""

from textual.app import ComposeResult
from textual.containers import Vertical

from engine.plans.operation import Operation
from engine.plans.past_effects import took_place
from engine.services.engine import Engine
from tui.present import diff as diffs
from tui.present.history import operations as past
from tui.present.history.operations import Undoability
from tui.present.spans import NOTHING_SELECTED, ListRows, Span, error_lines
from tui.screens.history.audit_kept import Diffs, standing
from tui.screens.hosted import Hosted
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.text_pane import TextPane


class OperationPane(Hosted, Vertical):
    """Shows an operation file by file; the page has the list of its files elsewhere."""

    def __init__(self, files: LineList) -> None:
        super().__init__(id="one")
        self.operation: Operation | None = None
        self.file = 0
        self.standing: dict[str, Undoability] = {}
        """Tells of each operation whether it can be undone, as far as it was checked."""
        self._files = files
        self._diffs: dict[str, Diffs] = {}

    def compose(self) -> ComposeResult:
        yield TextPane(ident="head", hang=diffs.LABEL)
        yield DiffView(ident="past")

    @property
    def _head(self) -> TextPane:
        return self.query_one(TextPane)

    @property
    def diff_view(self) -> DiffView:
        return self.query_one(DiffView)

    @property
    def _page(self) -> Page:
        return self.query_ancestor(Page)

    def forget(self) -> None:
        """Drops the diffs and checks, since the operations changed."""
        self._diffs.clear()
        self.standing.clear()

    def knows(self, operation: Operation) -> bool:
        return operation.id in self._diffs

    def show_nothing(self, *, read: bool, new: bool) -> None:
        """Says why no operation is shown; `read` if the history was read, `new` if it is empty."""
        self.operation = None
        nothing = NOTHING_SELECTED if read else ((Span("reading…", "muted"),),)
        self._head.name_it((Span("Operation", "title"),), self._page.others("head"))
        self._head.show(nothing)
        self._files.name_it((Span("Files", "title"),), self._page.others("files"))
        self._files.show_empty("", nothing)
        self._files.show(ListRows())
        self.diff_view.name_it((Span("Diff", "title"),), self._page.others("past"))
        self.diff_view.say(*past.WELCOME if new else nothing)

    def show_operation(self, operation: Operation) -> None:
        self.operation = operation
        self._head.name_it(past.title(operation), self._page.others("head"))
        self.show_head()
        if not self.knows(operation):
            self.diff_view.say((Span("reading…", "muted"),))
            self._read_diffs(operation)
        self._show_files(operation)

    def show_head(self, *, keep_place: bool = False) -> None:
        if (operation := self.operation) is not None:
            known = self.standing.get(operation.id)
            lines = past.head(operation, self.deck.now(), known, read_only=self.deck.read_only)
            self._head.show(lines, keep_place=keep_place)

    def _read_diffs(self, operation: Operation) -> None:
        known = self.standing.get(operation.id)

        def read(engine: Engine) -> tuple[str, Diffs, Undoability]:
            return operation.id, engine.history.diffs(operation.id), known or standing(engine, operation)

        self.deck.bridge.read(read, self._took, lambda error: self.diff_view.say(*error_lines(error)))

    def _took(self, answer: tuple[str, Diffs, Undoability]) -> None:
        op_id, self._diffs[answer[0]], self.standing[answer[0]] = answer
        if self.operation is not None and self.operation.id == op_id:
            self.show_head(keep_place=True)
            self._show_files(self.operation)

    def _show_files(self, operation: Operation) -> None:
        read, others = self._diffs.get(operation.id, ()), self._page.others
        self._files.show_empty("no file" if self.knows(operation) else "reading…")
        self._files.show(past.FileRows(operation, read), self.file)
        total = len(took_place(operation))
        place = f" {self.file + 1:,}/{total:,}" if total else ""
        self._files.name_it((Span("Files", "title"), Span(place, "accent")), others("files"))
        if self.file < len(read):
            diff = read[self.file]
            self.diff_view.name_it(past.diff_title(diff, self.file, total), others("past"))
            folded = diffs.computed_rows(diff, operation.system)
            self.diff_view.show(diff, past.diff_note(diff), {}, frontmatter=folded)
        elif self.knows(operation):
            self.diff_view.name_it((Span("Diff", "title"),), others("past"))
            self.diff_view.say((Span("nothing of it took place", "muted"),))

    def turn_to_file(self, index: int) -> None:
        total = len(took_place(self.operation)) if self.operation is not None else 0
        if self.operation is not None and total:
            self.file = max(0, min(index, total - 1))
            self.deck.show_crumbs()
            self._show_files(self.operation)

    def action_turn(self, by: int) -> None:
        self.turn_to_file(self.file + by)

    # What keys need

    def lacks_source(self) -> str:
        opens = self.diff_view.opens
        return "" if opens else "the plan, on key 2, says where a line came from; here enter opens folds"

    def lacks_operation(self) -> str:
        return "" if self.operation is not None else past.why_not_undo(None)

    def lacks_undoable(self) -> str:
        known = self.standing.get(self.operation.id) if self.operation is not None else None
        return past.why_not_undo(self.operation) or (known.refused if known is not None else "")

    def lacks_redoable(self) -> str:
        return past.why_not_redo(self.operation)

    def action_undo_this(self) -> None:
        """Shows the reverse diff and asks with the same dialog as everywhere (decision G20)."""
        if self.operation is not None:
            self.deck.flows.reversals.undo(self.operation.id)

    def action_redo_this(self) -> None:
        if self.operation is not None:
            self.deck.flows.reversals.redo(self.operation.id)
