"""Lifecycle's panes: which there are, where they stand, and what they are called."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from tui.present.spans import Line, Span
from tui.present.words import count
from tui.screens.page import Page
from tui.widgets.line_list import LineList
from tui.widgets.style import style_sheet
from tui.widgets.text_pane import TextPane

NAMES = {"stages": "Pipeline", "runs": "Runs", "run": "Run", "cost": "Cost"}


class LifecyclePanes(Page):
    """The stages above; below, the runs beside the one under the cursor, and what models have cost."""

    PANES: ClassVar[tuple[str, ...]] = ("stages", "runs", "run", "cost")
    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("LifecyclePanes")

    def __init__(self) -> None:
        super().__init__(id="lifecycle")

    def compose(self) -> ComposeResult:
        yield LineList(ident="stages", empty="reading…")
        with Horizontal(id="below"):
            with Vertical(id="left"):
                yield LineList(ident="runs", empty="reading…")
                yield TextPane(ident="cost", hang=2)
            yield TextPane(ident="run", hang=2, as_begun=True)

    def list_of(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    def text_of(self, name: str) -> TextPane:
        return self.query_one(f"#{name}", TextPane)

    def others(self, name: str) -> Line:
        """Names what `tab` leads to, where panes share the room."""
        if not self.one_pane:
            return ()
        at = self.PANES.index(name)
        rest = [NAMES[other] for other in (*self.PANES[at + 1 :], *self.PANES[:at])]
        return (Span("tab ", "key"), Span(" · ".join(rest), "muted"))

    def name_panes(self, runs: int, run: str = "") -> None:
        """Titles of all panes; `run` is the id of the one that is shown."""
        self.list_of("stages").name_it((Span(NAMES["stages"], "title"),), self.others("stages"))
        counted = Span(f" ⟨{count(runs)}⟩", "muted")
        self.list_of("runs").name_it((Span(NAMES["runs"], "title"), counted), self.others("runs"))
        named = (Span(f" {run}", "muted"),) if run else ()
        self.text_of("run").name_it((Span(NAMES["run"], "title"), *named), self.others("run"))
        self.text_of("cost").name_it((Span(NAMES["cost"], "title"),), self.others("cost"))
