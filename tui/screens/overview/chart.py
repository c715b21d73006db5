"""Shows one gauge over time beside what it counts; `enter` opens a file, an entry or a section of it."""

from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.monitoring.chart import SPANS, GaugeChart, GaugeMember
from engine.plans.status import Status
from engine.workspace.values import LineSpan
from tui.dialogs.text_reader import TextReader
from tui.keys.naming import Keyed
from tui.present.overview import chart as charts
from tui.present.source import numbered_lines
from tui.present.spans import Line, ListRow, Span
from tui.present.words import safe
from tui.screen_host import ScreenHost
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.picture import Picture
from tui.widgets.style import name_in_colour, titled


class GaugeChartScreen(Keyed, Screen[None]):
    """One gauge of those of the Overview. `left` and `right` change the span, `tab` the gauge."""

    SCOPE = "chart"
    DEFAULT_CSS = """
    GaugeChartScreen #panes { layout: horizontal; height: 1fr; }
    GaugeChartScreen #course { width: 3fr; border: round $border-blurred; }
    GaugeChartScreen #members { width: 2fr; max-width: 76; border: round $border; }
    GaugeChartScreen Picture { height: 1fr; }
    GaugeChartScreen OneLine { background: $background; }
    GaugeChartScreen.-narrow #panes { layout: vertical; }
    GaugeChartScreen.-narrow #course { width: 1fr; height: 3fr; }
    GaugeChartScreen.-narrow #members { width: 1fr; max-width: 100%; height: 2fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back"),
        Binding("left,h", "span(-1)", "Fewer days"),
        Binding("right", "span(1)", "More days"),
        Binding("L", "life", "Life of an entry", show=False),
        Binding("tab,right_square_bracket", "gauge(1)", "Next gauge", show=False),
        Binding("shift+tab,left_square_bracket", "gauge(-1)", "Gauge before", show=False),
    ]

    def __init__(self, gauges: tuple[str, ...], gauge: str, status: Status | None) -> None:
        super().__init__()
        self._gauges, self._gauge, self._status = gauges, gauge, status
        self._days = SPANS[1]
        self.chart: GaugeChart | None = None

    @property
    def _deck(self) -> ScreenHost:
        return cast(ScreenHost, self.app)

    def compose(self) -> ComposeResult:
        with Container(id="panes"):
            with Vertical(id="course"):
                yield OneLine(ident="says")
                yield Picture(ident="plot")
            yield LineList(ident="members", empty="reading…")

    def on_mount(self) -> None:
        self.query_one(LineList).focus()
        name_in_colour(self, self._name_it)
        self._read()

    def _read(self) -> None:
        gauge, days, status = self._gauge, self._days, self._status
        self._deck.bridge.look(
            lambda engine: engine.status.chart(gauge, days, status), self._took, self._could_not, "chart"
        )

    def _took(self, chart: GaugeChart) -> None:
        if not self.is_mounted or (chart.trend.id, chart.days) != (self._gauge, self._days):
            return
        before, self.chart = self.chart, chart
        other = before is None or before.trend.id != chart.trend.id
        self.query_one("#says", OneLine).show(ListRow(charts.says(chart), extra=charts.sureness(chart)))
        dots = self._deck.dots
        self.query_one(Picture).show((chart, dots), lambda width, height: charts.drawn(chart, width, height, dots))
        members = self.query_one(LineList)
        members.show_empty("nothing is counted here")
        members.show(charts.MemberRows(chart.members), 0 if other else None)
        members.name_it(charts.members_title(chart), self._foot())
        self._name_it()

    def _name_it(self) -> None:
        course = self.query_one("#course", Vertical)
        course.border_title = titled(self.app.theme, charts.title(self.chart)) if self.chart is not None else ""
        course.border_subtitle = titled(self.app.theme, self._keys())

    def _could_not(self, error: MemdeckError) -> None:
        if self.is_mounted:
            lines: tuple[Line, ...] = ((Span(f"✗ {error.title}", "blocked"),), (Span(safe(error.line()), "muted"),))
            self.query_one(LineList).show_empty("", lines)
            self.query_one(LineList).show(charts.MemberRows(()))

    @staticmethod
    def _foot() -> Line:
        return (
            Span("enter", "key"),
            Span(" open  ", "muted"),
            Span("L", "key"),
            Span(" life  ", "muted"),
            Span("esc", "key"),
            Span(" back", "muted"),
        )

    def _keys(self) -> Line:
        days = " ".join(f"[{days}]" if days == self._days else str(days) for days in SPANS)
        return (Span("←/→", "key"), Span(f" {days} days  ", "muted"), Span("tab", "key"), Span(" next gauge", "muted"))

    def action_span(self, by: int) -> None:
        """Shows fewer days, or more; at either end nothing changes."""
        at = max(0, min(SPANS.index(self._days) + by, len(SPANS) - 1))
        if SPANS[at] != self._days:
            self._days = SPANS[at]
            self._read()

    def action_gauge(self, by: int) -> None:
        """Shows another gauge, in the order of the cards."""
        at = self._gauges.index(self._gauge) if self._gauge in self._gauges else 0
        self._gauge = self._gauges[(at + by) % len(self._gauges)]
        self._read()

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        """Reads what the cursor is on; a note whole, an entry or a section alone."""
        event.stop()
        if self.chart is None or event.index >= len(self.chart.members):
            return
        member = self.chart.members[event.index]
        wanted = LineSpan(member.path, member.line, member.line + max(1, member.lines) - 1)
        self._deck.bridge.read(
            lambda engine: engine.plans.source_lines(wanted),
            lambda texts: self._show_member(member, texts),
            self._deck.fail,
            "member",
        )

    def _show_member(self, member: GaugeMember, texts: tuple[str, ...]) -> None:
        if self.is_current:
            self.app.push_screen(TextReader(safe(member.path), numbered_lines(member.line, texts)))

    def action_life(self) -> None:
        """Follows the first line of what the cursor is on through the memory."""
        at = self.query_one(LineList).cursor
        if self.chart is not None and at < len(self.chart.members):
            member = self.chart.members[at]
            self._deck.flows.show_life(member.path, member.line)

    def action_back(self) -> None:
        self.dismiss(None)
