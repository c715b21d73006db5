"""A card of gauges: one widget that repaints without a layout, drawing only when what it shows changed."""

from textual.strip import Strip

from tui.viewmodels.gauges import Gauge, bar, scale_labels
from tui.viewmodels.overview import Card
from tui.viewmodels.spans import Line, Span
from tui.widgets.paint import padded, strip, width_of
from tui.widgets.painted import Painted

_LEAST_BAR = 8


class GaugeCard(Painted):
    """Shows a `Card` in its border; gauges line up, and spread over the height there is."""

    DEFAULT_CSS = """
    GaugeCard { border: round $border-blurred; padding: 0 1; height: 1fr; }
    """

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self._card: Card | None = None
        self._lines: tuple[Line, ...] = ()
        self._drawn_for: tuple[Card | None, int, int] = (None, 0, 0)

    def show(self, card: Card) -> None:
        """Takes a new card; nothing happens where it equals the one on screen."""
        if card == self._card:
            return
        self._card = card
        self.name_it((Span(card.title, "title" if card.role == "text" else card.role),), card.foot)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._drawn_for != (self._card, width, height):
            self._lines = () if self._card is None else _drawn(self._card, width, height)
            self._drawn_for = (self._card, width, height)
        return strip(self, self._lines[y] if y < len(self._lines) else (), width)


def _drawn(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """The card's lines: a gauge on one line where lines are few, on two with its scale where there is room."""
    single = all(isinstance(part, Gauge) and len(part.thresholds) < 2 for part in card.body)
    if single or not any(isinstance(part, Gauge) for part in card.body):
        return _flow(card, width, height)
    return _stacked(card, width, height)


def _flow(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """One line per gauge with labels, bars and figures in columns, a blank line between where there is room."""
    gauges = [part for part in card.body if isinstance(part, Gauge)]
    label = max((len(gauge.label) for gauge in gauges), default=0) + 1
    figure = max((len(gauge.figure) for gauge in gauges), default=0) + 1
    spread = height >= 2 * len(card.body)
    lines: list[Line] = [()] if height > 2 * len(card.body) else []
    for part in card.body:
        lines.append(_gauge_line(part, width, label, figure, thin=not spread) if isinstance(part, Gauge) else part)
        if spread:
            lines.append(())
    return tuple(lines)


def _gauge_line(gauge: Gauge, width: int, label: int, figure: int, *, thin: bool) -> Line:
    size = max(_LEAST_BAR, width - label - figure)
    name, number = Span(gauge.label.ljust(label), "muted"), Span(gauge.figure.rjust(figure), gauge.role)
    return (name, *bar(gauge, size, thin=thin), number)


def _stacked(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """Each gauge under its name: two lines, three with the scale; what does not fit is counted."""
    each = next(lines for lines in (3, 2, 1) if lines == 1 or lines * len(card.body) <= height)
    shown = len(card.body) if each * len(card.body) <= height else max(1, height // each - 1)
    figure = max((width_of((Span(part.figure),)) for part in card.body if isinstance(part, Gauge)), default=0)
    lines: list[Line] = []
    for part in card.body[:shown]:
        lines.extend(_named_gauge(part, width, each, figure) if isinstance(part, Gauge) else [part])
    if shown < len(card.body):
        lines.append((Span(f"and {len(card.body) - shown} more", "muted"),))
    return tuple(lines[:height])


def _named_gauge(gauge: Gauge, width: int, each: int, figure: int) -> list[Line]:
    if each == 1:
        number = Span(gauge.figure.rjust(figure), gauge.role)
        name = padded((Span(gauge.label),), max(4, min(width // 3, width - figure - _LEAST_BAR - 1)))
        return [
            (*name, *bar(gauge, max(_LEAST_BAR, width - width_of(name) - figure - 1), thin=True), Span(" "), number)
        ]
    number = Span(gauge.figure, gauge.role)
    first = (*padded((Span(gauge.label, "strong"),), width - width_of((number,)) - 1), Span(" "), number)
    lines: list[Line] = [first, bar(gauge, width)]
    return [*lines, scale_labels(gauge, width)] if each == 3 else lines
