"""Draws what models cost each day: a curve, one part of it in another colour, and the next month."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import chain

from engine.models.cost_report import CostCurve, CostCurves, CostKey, MonthForecast
from tui.present.plot import LEAST_TICK, DotStyle, Plot, dated
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.stage_flows import share_bar
from tui.present.words import count, noun, percent, safe

_HEADROOM = 1.08  # the axis as a multiple of the dearest day, so that its peak does not touch the frame
_KEYS = {CostKey.ROLE: "by role", CostKey.DAY: "by day", CostKey.PLAN: "by dry run"}


def title(curves: CostCurves) -> Line:
    """Returns `costs by role · 90 days`."""
    days = noun(len(curves.whole.days), "day")
    return (Span("costs ", "title"), Span(_KEYS[curves.key], "accent"), Span(" · ", "muted"), Span(days, "accent"))


def says(curves: CostCurves) -> Line:
    """Says what the span cost in dollars, its calls, and the share of input read from the cache."""
    total = curves.whole.sum
    if not total.calls:
        return (Span("nothing was paid: no model was asked", "muted"),)
    words = f" · {noun(total.calls, 'call')} · {percent(total.cache_share)} of input cached"
    told = f" · {count(total.estimated)} counted at the most" if total.estimated else ""
    return (Span(_dollars(total.usd), "strong"), Span(words, "muted"), Span(told, "warn"))


def drawn(curves: CostCurves, chosen: CostCurve | None, width: int, height: int, style: DotStyle) -> tuple[Line, ...]:
    """Draws dollars per day, the chosen part over the whole; without costs, months at each level of use."""
    shown: list[tuple[Sequence[float], Role]] = [(curves.whole.days, "info" if chosen is None else "muted")]
    if chosen is not None:
        shown.append((chosen.days, "accent"))
    first, days = curves.first, len(curves.whole.days)
    if not curves.whole.sum.calls:
        first, days = curves.last, _MONTH
        months = zip(curves.months, _LEVEL_ROLES, strict=False)
        shown = [([month.usd * day / (days - 1) for day in range(days)], role) for month, role in months]
    dearest = max((usd for figures, _ in shown for usd in figures), default=0.0)
    edge = _dollars(dearest) if dearest else ""
    left = max(len(edge), len("$0")) + 1
    plot = Plot(width - left, max(1, height - 1), style)
    across = (plot.columns - 1) / max(1, days - 1)
    for figures, role in shown:
        top = dearest * _HEADROOM or 1.0
        plot.path([(at * across, (1 - usd / top) * (plot.rows - 1)) for at, usd in enumerate(figures)], role)
    names = {plot.height - 1: "$0", 0: edge}
    lines = [(Span(f"{names.get(row, ''):>{left - 1}} ", "muted"), *line) for row, line in enumerate(plot.lines())]
    many = max(1, plot.width // (2 * LEAST_TICK))
    ticks = [first + timedelta(days=round((days - 1) * tick / many)) for tick in range(many + 1)]
    return (*lines, (Span(" " * left), Span(dated([" "] * plot.width, ticks, days), "muted")))


_MONTH = 30  # days of a month ahead
_LEVEL_ROLES: tuple[Role, ...] = ("ok", "info", "accent", "warn")
_USE = 27  # cells of a level of use with its sessions, before its bar


def month_bars(months: Sequence[MonthForecast], width: int) -> tuple[Line, ...]:
    """Draws what a month would cost at each level of use if a model did everything, as bars of three parts."""
    most = max((month.usd for month in months), default=0.0) or 1.0
    lines: list[Line] = [(Span("a month, all by a model, at your policy's prices:", "muted"),)]
    for month in months:
        parts = zip((month.extraction, month.lifecycle, month.embeddings), _PART_ROLES, strict=True)
        drawn = share_bar([(round(1000 * usd / most), role) for usd, role in parts], 1000, max(10, width - _USE - 8))
        use = f"{month.level:<7} {round(month.sessions, 1):>4g} sessions/day"
        lines.append((Span(f"{use:<{_USE}}", "text"), *drawn, Span(f"{_dollars(month.usd):>8}", "strong")))
    named = zip("█▓░", _PART_ROLES, ("extraction", "summaries", "embeddings"), strict=True)
    words = chain.from_iterable((Span(sign, role), Span(f" {name}  ", "muted")) for sign, role, name in named)
    return (*lines, (Span(" " * min(_USE, max(0, width - 41))), *words))


_PART_ROLES: tuple[Role, ...] = ("bar_ok", "info", "muted")


class CostRows(LazyRows[CostCurve | MonthForecast]):
    """Shows the parts of the costs as rows, and below them what a month would cost."""

    def __init__(self, curves: CostCurves | None) -> None:
        super().__init__((*curves.curves, *curves.months) if curves is not None else ())
        figures = (item.sum.usd if isinstance(item, CostCurve) else item.usd for item in self.items)
        self._width = max((len(_dollars(usd)) for usd in figures), default=1)

    def part(self, index: int) -> CostCurve | None:
        """Returns the part that a row shows; None for the forecast of a month."""
        item = self.items[index] if index < len(self.items) else None
        return item if isinstance(item, CostCurve) else None

    def made(self, item: CostCurve | MonthForecast) -> ListRow:
        if isinstance(item, CostCurve):
            told = (Span(safe(item.sum.name), "text"), Span(f" · {noun(item.sum.calls, 'call')}", "muted"))
            return ListRow(told, (Span(f"{_dollars(item.sum.usd):>{self._width}}", "strong"),))
        usd, more = f"{_dollars(item.usd):>{self._width}}", f" · {round(item.sessions, 1):g} sessions/day"
        return ListRow((Span(f"month, {item.level} use", "muted"),), (Span(usd, "info"),), (Span(more, "muted"),))


def _dollars(usd: float) -> str:
    return f"${usd:.4f}" if usd < 1 else f"${usd:,.2f}"
