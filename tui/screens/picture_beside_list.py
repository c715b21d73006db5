"""Defines the screens with a picture over time beside a list: spans of days, titles, errors."""

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.monitoring.chart import SPANS
from tui.present.spans import Line, ListRows, Span, error_lines
from tui.screens.hosted import OneList
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.painted import Frame
from tui.widgets.picture import Picture


class PictureBesideList(OneList, Screen[None]):
    """A picture of some days beside a list; `left` and `right` change the days, `tab` the subject."""

    SUBJECT = ""  # the words beside `tab`

    def __init__(self, days: int) -> None:
        """Takes the number of days shown first, one of `SPANS`."""
        super().__init__()
        self._days = days

    def compose(self) -> ComposeResult:
        with Container(id="panes"):
            with Frame(id="course"):
                yield OneLine(ident="says")
                yield Picture(ident="plot")
            yield LineList(ident="parts", empty="reading…")

    def on_mount(self) -> None:
        self._name_it()
        self._read()

    def _read(self) -> None:
        """Asks the engine for the picture and the list."""
        raise NotImplementedError

    def _title(self) -> Line:
        """Returns the title of the picture; empty until it is read."""
        raise NotImplementedError

    def _name_it(self) -> None:
        self.query_one(Frame).name_it(self._title(), self._keys())

    def _keys(self) -> Line:
        days = " ".join(f"[{days}]" if days == self._days else str(days) for days in SPANS)
        return (Span("←/→", "key"), Span(f" {days} days  ", "muted"), Span("tab", "key"), Span(self.SUBJECT, "muted"))

    def _could_not(self, error: MemdeckError) -> None:
        self._list.show_empty("", error_lines(error))
        self._list.show(ListRows())

    def action_span(self, by: int) -> None:
        at = max(0, min(SPANS.index(self._days) + by, len(SPANS) - 1))
        if SPANS[at] != self._days:
            self._days = SPANS[at]
            self._read()
