"""The audit log and what is kept of displaced texts, side by side as one pane."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from tui.dialogs.text_reader import TextReader
from tui.present.history import audit_log
from tui.present.history import kept as kept_rows
from tui.present.history.operations import History
from tui.present.spans import ListRows
from tui.screens.history.queries import RECORDS
from tui.screens.page import Page
from tui.screens.pane import Hosted
from tui.widgets.line_list import LineList


class HistoryRecords(Hosted, Horizontal):
    """Two lists; `enter` opens what stands behind a row."""

    def __init__(self) -> None:
        super().__init__(id="lower")
        self._history: History | None = None
        self._audit = LineList(ident="audit", empty="reading…")
        self._kept = LineList(ident="kept", empty="reading…")

    def compose(self) -> ComposeResult:
        yield self._audit
        yield self._kept

    def show_records(self, history: History) -> None:
        self._history, now = history, self.deck.now()
        self._audit.show_empty("no record yet")
        self._audit.show(audit_log.AuditRows(history.records, history.findings or (), now))
        self._kept.show_empty("nothing was displaced yet\nwhat an operation replaces is kept here for good")
        if history.kept is not None:
            self._kept.show(ListRows(kept_rows.rows(history.kept, history.undoable, now)))

    def name_panes(self) -> None:
        history, others = self._history, self.query_ancestor(Page).others
        log, kept = audit_log.title(None), kept_rows.title(None)
        if history is not None:
            log = audit_log.title(history.records, history.findings, more=len(history.records) == RECORDS)
            kept = kept_rows.title(history.kept, history.undoable)
        self._audit.name_it(log, others("audit"))
        legend = kept_rows.foot(history.kept if history is not None else None)
        self._kept.name_it(kept, others("kept") or legend)

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        event.stop()
        self.deck.remember()
        history = self._history
        if event.control is self._audit and history is not None:
            text = audit_log.detail(history.records, history.findings or (), event.index)
            self.app.push_screen(TextReader(*text))
        elif history is not None and history.kept is not None:
            self.app.push_screen(TextReader(*kept_rows.detail(history.kept, history.undoable, event.index)))
