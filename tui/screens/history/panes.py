"""History's panes: which there are, where they stand, and what they are called."""

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from tui.present import diff as diffs
from tui.present.history import audit_log
from tui.present.history import kept as kept_rows
from tui.present.history.operations import History
from tui.present.spans import Line, ListRow, Span
from tui.present.strip import days_strip
from tui.present.words import count, safe
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.style import style_sheet
from tui.widgets.text_pane import TextPane

RECORDS = 2_000
"""Records of the audit log that are listed; all of them are verified."""
_DAYS_FRAME = 4
"""Cells at both sides of the strip of days."""


class HistoryPanes(Page):
    """Operations, the files and the diff of one of them; below, the audit log and what is kept."""

    PANES: ClassVar[tuple[str, ...]] = ("operations", "files", "head", "past", "audit", "kept")
    NAMES: ClassVar[Mapping[str, str]] = {
        "operations": "Operations",
        "files": "Files",
        "head": "Operation",
        "past": "Diff",
        "audit": "Audit log",
        "kept": "Kept",
    }
    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("HistoryPage")

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
                yield FilterField("filter: system, path, state, plan, tier:c", ident="sieve", of="operations")
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
