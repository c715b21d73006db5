"""History's panes: which there are, where they stand, and what they are called."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from tui.present import diff as diffs
from tui.present.history import audit_log
from tui.present.history import kept as kept_rows
from tui.present.history.operation_days import days_strip
from tui.present.history.operations import History
from tui.present.spans import Line, ListRow, Span
from tui.present.words import count, safe
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.text_pane import TextPane

RECORDS = 2_000
"""Records of the audit log that are listed; all of them are verified."""
_DAYS_FRAME = 4
"""Cells at both sides of the strip of days."""
NAMES = {
    "operations": "Operations",
    "files": "Files",
    "head": "Operation",
    "past": "Diff",
    "audit": "Audit log",
    "kept": "Kept",
}


class HistoryPanes(Page):
    """Operations, the files and the diff of one of them; below, the audit log and what is kept."""

    PANES: ClassVar[tuple[str, ...]] = ("operations", "files", "head", "past", "audit", "kept")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    HistoryPage { layout: vertical; }
    HistoryPage #days { background: $background; padding: 0 2; display: none; }
    HistoryPage.has-days #days { display: block; }
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

    def __init__(self) -> None:
        super().__init__(id="history")
        self.history: History | None = None

    def on_mount(self) -> None:
        self.name_panes()

    def compose(self) -> ComposeResult:
        yield OneLine(ident="days")
        with Horizontal(id="upper"):
            with Vertical(id="list"):
                yield LineList(ident="operations", empty="reading…")
                yield FilterField("filter: system, path, state, plan, tier:c", ident="sieve")
                yield LineList(ident="files", empty="reading…")
            with Vertical(id="one"):
                yield TextPane(ident="head", hang=diffs.LABEL)
                yield DiffView(ident="past")
        with Horizontal(id="lower"):
            yield LineList(ident="audit", empty="reading…")
            yield LineList(ident="kept", empty="reading…")

    def show_days(self) -> None:
        """The changes of each day as a strip, where there are several days."""
        operations = self.history.operations if self.history is not None else ()
        drawn = days_strip(operations, self.deck.now(), self.app.size.width - _DAYS_FRAME)
        self.set_class(bool(drawn), "has-days")
        self.query_one("#days", OneLine).show(ListRow(drawn))

    def list_of(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    @property
    def diff_view(self) -> DiffView:
        return self.query_one("#past", DiffView)

    def others(self, name: str) -> Line:
        """Names what `tab` leads to, where panes share the room."""
        if not self.one_pane:
            return ()
        at = self.PANES.index(name)
        rest = [NAMES[other] for other in (*self.PANES[at + 1 :], *self.PANES[:at])]
        return (Span("tab ", "key"), Span(" · ".join(rest), "muted"))

    def _of(self, filtered: str) -> str:
        """` of 100,000`, where older operations were not read yet; under a filter also in how many it looked."""
        if self.history is None or not self.history.more:
            return ""
        among = f" in the newest {count(len(self.history.operations))}" if filtered else ""
        return f"{among} of {count(self.history.total)}"

    def name_panes(self, shown: int = 0, filtered: str = "") -> None:
        """Titles of the panes that are there whatever operation is selected."""
        operations: Line = (Span("Operations", "title"), Span(f" ⟨{count(shown)}{self._of(filtered)}⟩", "muted"))
        if filtered:
            operations += (Span(f" /{safe(filtered)}", "warn"),)
        self.list_of("operations").name_it(operations, self.others("operations"))
        history = self.history
        log = audit_log.title(None)
        kept = kept_rows.title(None)
        if history is not None:
            log = audit_log.title(history.records, history.findings, more=len(history.records) == RECORDS)
            kept = kept_rows.title(history.kept, history.undoable)
        self.list_of("audit").name_it(log, self.others("audit"))
        legend = kept_rows.foot(history.kept if history is not None else None)
        self.list_of("kept").name_it(kept, self.others("kept") or legend)
