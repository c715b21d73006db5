"""Shows one gauge over time beside its members; `enter` opens a file, an entry or a section."""

from textual import on

from engine.monitoring.chart import SPANS, GaugeChart, GaugeMember
from engine.plans.memory_status import Status
from engine.workspace.values import LineSpan
from tui.dialogs.text_reader import TextReader
from tui.present.overview import chart as charts
from tui.present.source_lines import numbered_lines
from tui.present.spans import Line, ListRow, key_line
from tui.present.words import safe
from tui.screens.picture_beside_list import PictureBesideList
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.picture import Picture

_KEYS = key_line(("enter", "open"), ("L", "life"), ("esc", "back"))


class GaugeChartScreen(PictureBesideList, scope="chart"):
    """Shows one gauge of the Overview; `tab` changes it."""

    SUBJECT = " next gauge"

    def __init__(self, gauges: tuple[str, ...], gauge: str, status: Status | None) -> None:
        super().__init__(SPANS[1])
        self._gauges, self._gauge, self._status = gauges, gauge, status
        self.chart: GaugeChart | None = None

    def _read(self) -> None:
        gauge, days, status = self._gauge, self._days, self._status
        self.deck.bridge.look(lambda engine: engine.status.chart(gauge, days, status), self._took, self._could_not)

    def _took(self, chart: GaugeChart) -> None:
        if (chart.trend.id, chart.days) != (self._gauge, self._days):
            return
        before, self.chart = self.chart, chart
        other = before is None or before.trend.id != chart.trend.id
        self.query_one("#says", OneLine).show(ListRow(charts.says(chart), extra=charts.sureness(chart)))
        dots = self.deck.dots
        self.query_one(Picture).show((chart, dots), lambda width, height: charts.drawn(chart, width, height, dots))
        self._list.show_empty("nothing is counted here")
        self._list.show(charts.MemberRows(chart.members), 0 if other else None)
        self._list.name_it(charts.members_title(chart), _KEYS)
        self._name_it()

    def _title(self) -> Line:
        return charts.title(self.chart) if self.chart is not None else ()

    def action_gauge(self, by: int) -> None:
        at = self._gauges.index(self._gauge) if self._gauge in self._gauges else 0
        self._gauge = self._gauges[(at + by) % len(self._gauges)]
        self._read()

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        if self.chart is None or event.index >= len(self.chart.members):
            return
        member = self.chart.members[event.index]
        wanted = LineSpan(member.path, member.line, member.line + max(1, member.lines) - 1)
        self.deck.bridge.read(
            lambda engine: engine.plans.source_lines(wanted), lambda texts: self._show_member(member, texts)
        )

    def _show_member(self, member: GaugeMember, texts: tuple[str, ...]) -> None:
        if self.is_current:
            self.app.push_screen(TextReader(safe(member.path), numbered_lines(member.line, texts)))

    def action_life(self) -> None:
        at = self._list.cursor
        if self.chart is not None and at < len(self.chart.members):
            member = self.chart.members[at]
            self.deck.flows.readers.show_life(member.path, member.line)
