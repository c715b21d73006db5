"""Shows a card of gauges; repaints without a layout, and only when its content changed."""

from textual.strip import Strip

from tui.present.overview.cards import Card
from tui.present.overview.gauges import GaugeBar, bar, scale_labels
from tui.present.spans import Line, Role, Span
from tui.widgets.painted import Painted
from tui.widgets.segments import padded, strip, width_of

_LEAST_BAR, _LEAST_FLOW_BAR = 8, 5
"""The least cells of a bar: in columns, and in a flow of gauges with long names and figures."""
_TALL = 4  # lines from which on a lone shard has a full bar: in a lower card the bars beside it are lines
MARK = "▸"  # stands at the gauge under the cursor
_LEAST_NAME = 9
"""The least cells of a shard's name; below it the word beside its figure is omitted, since its sign says the same."""


class GaugeCard(Painted):
    """Shows a `Card` in its border; gauges align, and spread over the height."""

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self._card: Card | None = None
        self._chosen = ""
        self._lines: tuple[Line, ...] = ()
        self._drawn_for: tuple[Card | None, int, int] = (None, 0, 0)

    @property
    def gauges(self) -> tuple[str, ...]:
        return self._card.gauges if self._card is not None else ()

    def choose(self, gauge: str) -> None:
        """Puts the cursor on a gauge of the card, or removes it if `gauge` is empty."""
        self._chosen = gauge
        self.set_class(bool(gauge), "chosen")
        if self._card is not None:
            self.show(self._card)

    def gauge_at(self, y: int) -> str:
        """Returns the gauge at a line of the card; empty if there is none."""
        if self._card is None:
            return ""
        width, height = self.content_size
        tops = [(_top_of(self._card.choosing(gauge), gauge, width, height), gauge) for gauge in self.gauges]
        return next((gauge for top, gauge in sorted(tops, reverse=True) if top <= y), "")

    def show(self, card: Card) -> None:
        card = card.choosing(self._chosen)
        if card == self._card:
            return
        self._card = card
        self._put_names()
        self.refresh()

    def on_resize(self) -> None:
        self._put_names()

    def _put_names(self) -> None:
        """Puts into the lower border of a low card what has no line of its own."""
        if (card := self._card) is None:
            return
        has_room = self.content_size.height >= len(card.body) * (3 if card.stacked else 2)  # each outlook has a line
        foot = card.foot if has_room or not card.dense_foot else card.dense_foot
        self.name_it((Span(card.title, "title" if card.role == "text" else card.role),), foot)

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._drawn_for != (self._card, width, height):
            self._lines = () if self._card is None else drawn(self._card, width, height)
            self._drawn_for = (self._card, width, height)
        return strip(self, self._lines[y] if y < len(self._lines) else (), width)


def _top_of(card: Card, gauge: str, width: int, height: int) -> int:
    """Returns the line with the mark of the chosen gauge; a line below the card if the gauge is not shown."""
    lines = drawn(card, width, height)
    return next((y for y, line in enumerate(lines) if any(span.text.endswith(MARK) for span in line)), height + 1)


def drawn(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """Draws the card's lines: a gauge on each line, with its outlook and scale if there is room."""
    return _stacked(card, width, height) if card.stacked else _flow(card, width, height)


def _flow(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """Draws labels, bars and figures in columns, outlooks below them, and blank lines up to `height`."""
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
    """Returns as many parts as there are lines, those nearest to their limits, in their order."""
    kept = sorted(card.body, key=_rank)[:height]
    return tuple(part for part in card.body if part in kept)


def _rank(part: GaugeBar | Line) -> tuple[bool, float]:
    """Sorts the gauge under the cursor first, then by nearness to a limit."""
    return (not part.chosen, -part.fullness) if isinstance(part, GaugeBar) else (True, 0.0)


def _outlook(part: GaugeBar | Line, width: int) -> Line:
    """Draws the outlook of a gauge: its curve at the left edge, aligned with the others, then words."""
    line = part.outlook.line(width) if isinstance(part, GaugeBar) else ()
    return (*line[:-1], Span(" " * (width - width_of(line))), line[-1]) if line else ()


def _label(gauge: GaugeBar, width: int) -> Span:
    """Draws the name of a gauge in its column, with a cell for the cursor's mark."""
    if not gauge.chosen:
        return Span(gauge.label.ljust(width), "muted")
    return Span(gauge.label.ljust(width - 1) + MARK, "accent")


def _gauge_line(gauge: GaugeBar, width: int, label: int, figure: int, *, thin: bool) -> Line:
    name, number = _label(gauge, label), Span(gauge.figure.rjust(figure), gauge.role)
    if not gauge.thresholds:
        return (name, Span(gauge.figure.rjust(width - label), gauge.role))
    return (name, *bar(gauge, max(_LEAST_FLOW_BAR, width - label - figure), thin=thin), number)


def _stacked(card: Card, width: int, height: int) -> tuple[Line, ...]:
    """Draws each gauge below its name, with outlook and scale if there is room; counts what does not fit."""
    each = next(lines for lines in (4, 3, 2, 1) if lines == 1 or lines * len(card.body) <= height)
    shown = len(card.body) if each * len(card.body) <= height else max(1, height // each - 1)
    chosen = next((at for at, part in enumerate(card.body) if isinstance(part, GaugeBar) and part.chosen), 0)
    first = max(0, chosen - shown + 1)
    body = card.body[first : first + shown]
    gauges = [part for part in body if isinstance(part, GaugeBar)]
    if each == 1 and _columns(gauges, width)[0] < _LEAST_NAME:
        gauges = [
            gauge._replace(label=gauge.label.removesuffix(".md"), figure=gauge.figure.rpartition(" ")[0])
            for gauge in gauges
        ]
    columns, made = _columns(gauges, width), iter(gauges)
    lines: list[Line] = []
    spare = height - each * shown if each > 1 else 0
    thin = height < _TALL
    for index, part in enumerate(body):
        if spare >= shown or (spare and not index):
            lines.append(())
        lines.extend(_named_gauge(next(made), width, each, columns, thin) if isinstance(part, GaugeBar) else [part])
    if shown < len(card.body):
        lines.append((Span(f"and {len(card.body) - shown} more", "muted"),))
    return tuple(lines[:height])


def _strong(gauge: GaugeBar, role: Role) -> Line:
    """Draws the name of a gauge above its bar, after the cursor's mark if that is on it."""
    return (Span(MARK, "accent"), Span(gauge.label, "accent")) if gauge.chosen else (Span(gauge.label, role),)


def _columns(gauges: list[GaugeBar], width: int) -> tuple[int, int]:
    """Returns the cells of names and of figures if gauges take one line each; the bars get the rest."""
    figure = max((width_of((Span(gauge.figure),)) for gauge in gauges), default=0)
    longest = max((width_of((Span(gauge.label),)) for gauge in gauges), default=0)
    return max(4, min(longest, width - figure - _LEAST_BAR - 1)), figure


def _named_gauge(gauge: GaugeBar, width: int, each: int, columns: tuple[int, int], thin: bool) -> list[Line]:
    if each == 1:
        name, figure = padded(_strong(gauge, "text"), columns[0]), columns[1]
        number = Span(gauge.figure.rjust(figure), gauge.role)
        return [(*name, *bar(gauge, max(_LEAST_BAR, width - columns[0] - figure - 1), thin=True), Span(" "), number)]
    number = Span(gauge.figure, gauge.role)
    first = (*padded(_strong(gauge, "strong"), width - width_of((number,)) - 1), Span(" "), number)
    outlook = _outlook(gauge, width)
    more = [scale_labels(gauge, width)] if each == 4 or not outlook else []
    if outlook:
        more.append(outlook)
    return [first, bar(gauge, width, thin=thin), *more[: each - 2], *([()] * (each - 2 - len(more)))]
