"""Shows what models cost by day, and by role, day or dry run, with the cost of a month ahead."""

from textual import on

from engine.models.cost_report import CostCurves, CostKey
from engine.monitoring.chart import SPANS
from tui.present import costs
from tui.present.spans import Line, ListRow, Span
from tui.screens.picture_beside_list import PictureBesideList
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.picture import Picture

_ORDER = (CostKey.ROLE, CostKey.DAY, CostKey.PLAN)


class CostScreen(PictureBesideList, scope="costs"):
    """Shows the costs of models; `tab` changes how they are grouped."""

    SUBJECT = " by another"

    def __init__(self) -> None:
        super().__init__(SPANS[0])
        self._key = _ORDER[0]
        self._rows = costs.CostRows(None)
        self.curves: CostCurves | None = None

    def _read(self) -> None:
        key, days = self._key, self._days
        self.deck.bridge.look(lambda engine: engine.costs.curves(key, days), self._took, self._could_not)

    def _took(self, curves: CostCurves) -> None:
        if (curves.key, len(curves.whole.days)) != (self._key, self._days):
            return
        other = self.curves is None or self.curves.key is not curves.key
        self.curves, self._rows = curves, costs.CostRows(curves)
        self.query_one("#says", OneLine).show(ListRow(costs.says(curves)))
        self._list.show(self._rows, 0 if other else None)
        self._draw(self._list.cursor)
        self._name_it()

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._draw(event.index)

    def _draw(self, index: int) -> None:
        curves, dots, chosen = self.curves, self.deck.dots, self._rows.part(index)
        if curves is not None:
            shows = (curves.key, curves.first, curves.last, curves.whole.sum.calls, index, dots)
            self.query_one(Picture).show(shows, lambda width, height: costs.drawn(curves, chosen, width, height, dots))

    def _title(self) -> Line:
        return costs.title(self.curves) if self.curves is not None else ()

    def _name_it(self) -> None:
        super()._name_it()
        self._list.name_it((Span("Parts, and a month ahead", "title"),), (Span("esc", "key"), Span(" back", "muted")))

    def action_by(self, by: int) -> None:
        self._key = _ORDER[(_ORDER.index(self._key) + by) % len(_ORDER)]
        self._read()
