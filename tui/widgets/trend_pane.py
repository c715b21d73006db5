"""The courses of all gauges in one pane: repainted without a layout, drawn for the room there is."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.strip import Strip

from tui.present.overview.forecast import Outlook
from tui.present.overview.trends import trend_lines
from tui.present.spans import Line
from tui.widgets.paint import strip
from tui.widgets.painted import Painted
from tui.widgets.style import style_sheet

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend


class TrendPane(Painted):
    """Shows `trend_lines` in its border."""

    DEFAULT_CSS = style_sheet("TrendPane")

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self._trends: Sequence[Trend] = ()
        self._outlooks: Mapping[str, Outlook] = {}
        self._lines: tuple[Line, ...] = ()
        self._drawn_for: tuple[object, ...] = ()

    def show(self, trends: "Sequence[Trend]", outlooks: Mapping[str, Outlook]) -> None:
        """Takes other courses; nothing happens where they are those on screen."""
        if (trends, outlooks) == (self._trends, self._outlooks):
            return
        self._trends, self._outlooks = trends, outlooks
        self._drawn_for = ()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._drawn_for != (width, height):
            self._lines = trend_lines(self._trends, self._outlooks, width, height)
            self._drawn_for = (width, height)
        return strip(self, self._lines[y] if y < len(self._lines) else (), width)
