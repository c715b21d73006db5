"""Shows what models have cost, from day to day and by role, day or dry run, with what a month would cost."""

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.models.cost_report import CostKey
from tui.keys.naming import Keyed
from tui.present import costs
from tui.present.spans import Line, ListRow, Span
from tui.present.words import safe
from tui.screen_host import ScreenHost
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.picture import Picture
from tui.widgets.style import name_in_colour, titled

if TYPE_CHECKING:
    from engine.models.cost_report import CostCurves

SPANS = (30, 90, 365)
"""Days that the curves show, from few to many."""
_ORDER = (CostKey.ROLE, CostKey.DAY, CostKey.PLAN)


class CostScreen(Keyed, Screen[None]):
    """The costs of models. `left` and `right` change the span, `tab` what they are told by."""

    SCOPE = "costs"
    DEFAULT_CSS = """
    CostScreen #panes { layout: horizontal; height: 1fr; }
    CostScreen #course { width: 3fr; border: round $border-blurred; }
    CostScreen #parts { width: 2fr; max-width: 76; border: round $border; }
    CostScreen Picture { height: 1fr; }
    CostScreen OneLine { background: $background; }
    CostScreen.-narrow #panes { layout: vertical; }
    CostScreen.-narrow #course { width: 1fr; height: 3fr; }
    CostScreen.-narrow #parts { width: 1fr; max-width: 100%; height: 2fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back"),
        Binding("left,h", "span(-1)", "Fewer days"),
        Binding("right", "span(1)", "More days"),
        Binding("tab,right_square_bracket", "by(1)", "Told by the next"),
        Binding("shift+tab,left_square_bracket", "by(-1)", "Told by the one before", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._days, self._key = SPANS[0], _ORDER[0]
        self._rows = costs.CostRows(None)
        self.curves: CostCurves | None = None

    @property
    def _deck(self) -> ScreenHost:
        return cast(ScreenHost, self.app)

    def compose(self) -> ComposeResult:
        with Container(id="panes"):
            with Vertical(id="course"):
                yield OneLine(ident="says")
                yield Picture(ident="plot")
            yield LineList(ident="parts", empty="reading…")

    def on_mount(self) -> None:
        self.query_one(LineList).focus()
        name_in_colour(self, self._name_it)
        self._read()

    def _read(self) -> None:
        key, days = self._key, self._days
        self._deck.bridge.look(lambda engine: engine.costs.curves(key, days), self._took, self._could_not, "costs")

    def _took(self, curves: "CostCurves") -> None:
        if not self.is_mounted or (curves.key, len(curves.whole.days)) != (self._key, self._days):
            return
        other = self.curves is None or self.curves.key is not curves.key
        self.curves, self._rows = curves, costs.CostRows(curves)
        self.query_one("#says", OneLine).show(ListRow(costs.says(curves)))
        parts = self.query_one(LineList)
        parts.show(self._rows, 0 if other else None)
        self._draw(parts.cursor)
        self._name_it()

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._draw(event.index)

    def _draw(self, index: int) -> None:
        """Draws the whole, and over it the part that the cursor is on."""
        curves, dots, chosen = self.curves, self._deck.dots, self._rows.part(index)
        if curves is not None:
            shows = (curves.key, curves.first, curves.last, curves.whole.sum.calls, index, dots)
            self.query_one(Picture).show(shows, lambda width, height: costs.drawn(curves, chosen, width, height, dots))

    def _name_it(self) -> None:
        course, parts = self.query_one("#course", Vertical), self.query_one(LineList)
        course.border_title = titled(self.app.theme, costs.title(self.curves)) if self.curves is not None else ""
        course.border_subtitle = titled(self.app.theme, self._keys())
        parts.name_it((Span("parts, and a month ahead", "title"),), (Span("esc", "key"), Span(" back", "muted")))

    def _could_not(self, error: MemdeckError) -> None:
        if self.is_mounted:
            lines: tuple[Line, ...] = ((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line()), "muted"),))
            self.query_one(LineList).show_empty("", lines)
            self.query_one(LineList).show(costs.CostRows(None))

    def _keys(self) -> Line:
        days = " ".join(f"[{days}]" if days == self._days else str(days) for days in SPANS)
        return (Span("←/→", "key"), Span(f" {days} days  ", "muted"), Span("tab", "key"), Span(" by another", "muted"))

    def action_span(self, by: int) -> None:
        """Shows fewer days, or more; at either end nothing changes."""
        at = max(0, min(SPANS.index(self._days) + by, len(SPANS) - 1))
        if SPANS[at] != self._days:
            self._days = SPANS[at]
            self._read()

    def action_by(self, by: int) -> None:
        """Tells the costs by role, by day or by dry run."""
        self._key = _ORDER[(_ORDER.index(self._key) + by) % len(_ORDER)]
        self._read()

    def action_back(self) -> None:
        self.dismiss(None)
