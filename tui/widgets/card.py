"""A card of gauges: one widget that repaints without a layout, drawing only when what it shows changed."""

from textual.strip import Strip

from tui.present.overview.cards import Card
from tui.present.overview.gauges import GaugeBar, bar, scale_labels
from tui.present.spans import Line, Span
from tui.widgets.paint import padded, strip, width_of
from tui.widgets.painted import Painted

_LEAST_BAR, _LEAST_FLOW_BAR = 8, 5
_TALL = 4
"""Lines from which on a lone shard has a full bar: in a lower card the bars beside it are lines."""
_LEAST_NAME = 9
"""Cells of a shard's name, for which the word beside its figure gives way: the sign before it says the same."""


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
        self._put_names()
        self.refresh()

    def on_resize(self) -> None:
        self._put_names()

    def _put_names(self) -> None:
        """Puts what finds no line of its own in a low card into its lower border."""
        card = self._card
        if card is None:
            return
        foot = card.foot if _has_room(card, self.content_size.height) or not card.dense_foot else card.dense_foot
        self.name_it((Span(card.title, "title" if card.role == "text" else card.role),), foot)

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._drawn_for != (self._card, width, height):
            self._lines = () if self._card is None else drawn(self._card, width, height)
            self._drawn_for = (self._card, width, height)
        return strip(self, self._lines[y] if y < len(self._lines) else (), width)


def _has_room(card: Card, height: int) -> bool:
    """Tells whether each gauge has a line for its outlook."""
    return height >= len(card.body) * (3 if card.stacked else 2)


def drawn(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """The card's lines: a gauge on one line where lines are few, with its outlook and its scale where there is room."""
    return _stacked(card, width, height) if card.stacked else _flow(card, width, height)


def _flow(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """Labels, bars and figures in columns, each gauge with its outlook below, and blank lines for what room is left."""
    body = card.body if height >= len(card.body) else _gravest(card, height)
    gauges = [part for part in body if isinstance(part, GaugeBar)]
    label = max((len(gauge.label) for gauge in gauges), default=0) + 1
    figure = max((len(gauge.figure) for gauge in gauges if gauge.thresholds), default=0) + 1
    each = next((lines for lines in (3, 2, 1) if lines * len(body) - (lines > 2) <= height), 1)
    lines: list[Line] = [()] if height > each * len(body) and each > 1 else []
    for part in body:
        own = [_gauge_line(part, width, label, figure, thin=each == 1)] if isinstance(part, GaugeBar) else [part]
        if each > 1:
            own.append(_outlook(part, width))
        lines += [*own, *([()] * (each - len(own)))]
    return tuple(lines[:height])


def _gravest(card: Card, height: int) -> tuple[GaugeBar | Line, ...]:
    """As many of a card's parts as there are lines, those nearest to their limits, in the order they have."""
    fullest = sorted(card.body, key=lambda part: -part.fullness if isinstance(part, GaugeBar) else 0)
    kept = fullest[:height]
    return tuple(part for part in card.body if part in kept)


def _outlook(part: GaugeBar | Line, width: int) -> Line:
    """The outlook of a gauge under its bar: its curve at the left edge, as wide as those of all others, then words."""
    if not isinstance(part, GaugeBar):
        return ()
    line = part.outlook.line(width)
    if not line:
        return ()
    gap = Span(" " * (width - width_of(line)))
    return (*line[:-1], gap, line[-1])


def _gauge_line(gauge: GaugeBar, width: int, label: int, figure: int, *, thin: bool) -> Line:
    name, number = Span(gauge.label.ljust(label), "muted"), Span(gauge.figure.rjust(figure), gauge.role)
    if not gauge.thresholds:
        return (name, Span(gauge.figure.rjust(width - label), gauge.role))
    return (name, *bar(gauge, max(_LEAST_FLOW_BAR, width - label - figure), thin=thin), number)


def _stacked(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """Each gauge under its name: two lines, then its outlook, then its scale; what does not fit is counted."""
    each = next(lines for lines in (4, 3, 2, 1) if lines == 1 or lines * len(card.body) <= height)
    shown = len(card.body) if each * len(card.body) <= height else max(1, height // each - 1)
    gauges = [part for part in card.body[:shown] if isinstance(part, GaugeBar)]
    brief = each == 1 and _columns(gauges, width)[0] < _LEAST_NAME
    if brief:
        gauges = [
            gauge._replace(label=gauge.label.removesuffix(".md"), figure=gauge.figure.rpartition(" ")[0])
            for gauge in gauges
        ]
    columns, made = _columns(gauges, width), iter(gauges)
    lines: list[Line] = []
    spare = height - each * shown if each > 1 else 0
    thin = height < _TALL
    for index, part in enumerate(card.body[:shown]):
        if spare >= shown or (spare and not index):
            lines.append(())
        lines.extend(_named_gauge(next(made), width, each, columns, thin) if isinstance(part, GaugeBar) else [part])
    if shown < len(card.body):
        lines.append((Span(f"and {len(card.body) - shown} more", "muted"),))
    return tuple(lines[:height])


def _columns(gauges: list[GaugeBar], width: int) -> tuple[int, int]:
    """Cells of names and figures where gauges stand on one line each; the bars have the rest."""
    figure = max((width_of((Span(gauge.figure),)) for gauge in gauges), default=0)
    longest = max((width_of((Span(gauge.label),)) for gauge in gauges), default=0)
    return max(4, min(longest, width - figure - _LEAST_BAR - 1)), figure


def _named_gauge(gauge: GaugeBar, width: int, each: int, columns: tuple[int, int], thin: bool) -> list[Line]:
    if each == 1:
        name, figure = padded((Span(gauge.label),), columns[0]), columns[1]
        number = Span(gauge.figure.rjust(figure), gauge.role)
        return [(*name, *bar(gauge, max(_LEAST_BAR, width - columns[0] - figure - 1), thin=True), Span(" "), number)]
    number = Span(gauge.figure, gauge.role)
    first = (*padded((Span(gauge.label, "strong"),), width - width_of((number,)) - 1), Span(" "), number)
    heading = gauge.outlook.line(width)
    more = [scale_labels(gauge, width)] if each == 4 or not heading else []
    if heading:
        gap = Span(" " * (width - width_of(heading)))
        more.append((*heading[:-1], gap, heading[-1]))
    return [first, bar(gauge, width, thin=thin), *more[: each - 2], *([()] * (each - 2 - len(more)))]
