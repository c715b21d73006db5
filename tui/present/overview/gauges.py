"""Draws a gauge: a bar of a value with marks at its thresholds."""

import math
from typing import NamedTuple

from tui.present.overview.forecast import Outlook
from tui.present.plot import merged
from tui.present.spans import Line, Role, Span

_EIGHTHS = " ▏▎▍▌▋▊▉"
_FULL, _MARK = "█", "│"
_COMES, _GOES = "▒", "░"  # the part of a bar that a plan adds, or takes away
_LINE, _HALF, _LINE_MARK = "━", "╸", "┃"
_MARK_ROLES: dict[Role, Role] = {"bar_ok": "ok", "bar_warn": "warn", "bar_risk": "risk", "bar_blocked": "blocked"}
_LINE_ROLES: dict[Role, Role] = {
    "bar_ok": "line_ok",
    "bar_warn": "line_warn",
    "bar_risk": "line_risk",
    "bar_blocked": "line_blocked",
}
HEADROOM = 1.2  # a bar reaches a fifth beyond its last threshold, so that the mark never stands at the edge


class BarLimit(NamedTuple):
    """A limit; a value above it colours the bar with `role`."""

    at: int
    role: Role


class GaugeBar(NamedTuple):
    """A gauge: `label`, a bar of `value` with ascending `thresholds`, and `figure` with its own role."""

    label: str
    value: int
    thresholds: tuple[BarLimit, ...]
    figure: str
    role: Role = "text"
    outlook: Outlook = Outlook()  # the course of the gauge; a gauge without thresholds has no bar
    id: str = ""  # the gauge's id, as `engine.monitoring.gauges` names it
    chosen: bool = False  # true for the gauge under the cursor

    @property
    def fullness(self) -> float:
        """The value divided by the last threshold; 0 without thresholds."""
        return self.value / self.thresholds[-1].at if self.thresholds and self.thresholds[-1].at else 0.0

    @property
    def scale(self) -> float:
        """The value at the right end of the bar, at most twice the last threshold."""
        limit = self.thresholds[-1].at if self.thresholds else self.value
        return max(limit * HEADROOM, min(float(self.value), limit * 2.0), 1.0)


def bar(gauge: GaugeBar, width: int, *, thin: bool = False) -> Line:
    """Draws `▕████│██│███ ▏` in exactly `width` cells, `thin` as a line, in the roles of the thresholds passed."""
    inner = max(1, width - 2)
    filled = gauge.value / gauge.scale * inner
    marks = {_column(threshold, gauge.scale, inner): threshold for threshold in gauge.thresholds}
    cells = tuple(_cell(index, filled, marks, gauge, thin) for index in range(inner))
    ends = (Span(" "), Span(" ")) if thin else (Span("▕", "rule"), Span("▏", "rule"))
    return (ends[0], *merged(cells), ends[1])


def change_bar(gauge: GaugeBar, kept: int, width: int, *, grows: bool) -> Line:
    """Draws the bar of `gauge` with growth or loss beyond `kept` set apart, in at least one cell."""
    inner = max(1, width - 2)
    end = min(inner, max(1, math.ceil(gauge.value / gauge.scale * inner)))
    start = min(int(kept / gauge.scale * inner), end - 1)
    role: Role = "accent" if grows else "muted"
    marks = {_column(threshold, gauge.scale, inner): threshold for threshold in gauge.thresholds}
    changed = [at for at in range(start, end) if at not in marks] or [start]
    cells = [_cell(at, start, marks, gauge, thin=False) for at in range(inner)]
    for at in changed:
        cells[at] = Span(_COMES if grows else _GOES, role)
    return (Span("▕", "rule"), *merged(tuple(cells)), Span("▏", "rule"))


def _column(threshold: BarLimit, scale: float, inner: int) -> int:
    return min(inner - 1, int(threshold.at / scale * inner))


def _cell(index: int, filled: float, marks: dict[int, BarLimit], gauge: GaugeBar, thin: bool) -> Span:
    if index in marks:
        role: Role = _MARK_ROLES[marks[index].role] if gauge.value > marks[index].at else "mark"
        return Span(_LINE_MARK, role if role != "mark" else "muted") if thin else Span(_MARK, role)
    rest = filled - index
    if rest <= 0:
        return Span(_LINE, "line_empty") if thin else Span(" ", "bar_empty")
    if thin:
        return Span(_LINE if rest >= 1 else _HALF, _LINE_ROLES[_zone(index, marks)])
    return Span(_FULL if rest >= 1 else _EIGHTHS[max(1, int(rest * 8))], _zone(index, marks))


def _zone(index: int, marks: dict[int, BarLimit]) -> Role:
    passed = [marks[column].role for column in sorted(marks) if column < index]
    return passed[-1] if passed else "bar_ok"


def scale_labels(gauge: GaugeBar, width: int) -> Line:
    """Writes the thresholds' numbers under their marks; close numbers move left and keep their order."""
    inner = max(1, width - 2)
    cells, free = [" "] * width, width
    for threshold in reversed(gauge.thresholds):
        label = f"{threshold.at:,}"
        start = min(1 + _column(threshold, gauge.scale, inner) - len(label) // 2, free - len(label))
        if start < 0:
            break
        cells[start : start + len(label)] = label
        free = start - 1
    return (Span("".join(cells), "muted"),)
