"""A gauge: a value drawn against its thresholds, which stand on the bar itself."""

from typing import NamedTuple

from tui.viewmodels.spans import Line, Role, Span

_EIGHTHS = " ▏▎▍▌▋▊▉"
_FULL, _MARK = "█", "│"
_MARK_ROLES: dict[Role, Role] = {"bar_ok": "ok", "bar_warn": "warn", "bar_risk": "risk", "bar_blocked": "blocked"}
HEADROOM = 1.2
"""A bar reaches a fifth beyond its last threshold, so that the mark never stands at the edge."""


class Threshold(NamedTuple):
    """A limit compared with `>`; above it the bar plays `role`."""

    at: int
    role: Role


class Gauge(NamedTuple):
    """`label`, a bar of `value` against `thresholds` (ascending), and `figure` with its own role."""

    label: str
    value: int
    thresholds: tuple[Threshold, ...]
    figure: str
    role: Role = "text"

    @property
    def scale(self) -> float:
        """The value at the right end of the bar."""
        limit = self.thresholds[-1].at if self.thresholds else 0
        return max(limit * HEADROOM, float(self.value), 1.0)


def bar(gauge: Gauge, width: int) -> Line:
    """`▕████│██│███  ▏` in exactly `width` cells; each zone of the bar plays the role of the threshold it passed."""
    inner = max(1, width - 2)
    filled = gauge.value / gauge.scale * inner
    marks = {_column(threshold, gauge.scale, inner): threshold for threshold in gauge.thresholds}
    cells = tuple(_cell(index, filled, marks, gauge) for index in range(inner))
    return (Span("▕", "rule"), *_merged(cells), Span("▏", "rule"))


def _column(threshold: Threshold, scale: float, inner: int) -> int:
    return min(inner - 1, int(threshold.at / scale * inner))


def _cell(index: int, filled: float, marks: dict[int, Threshold], gauge: Gauge) -> Span:
    if index in marks:
        passed = gauge.value > marks[index].at
        return Span(_MARK, "mark" if not passed else _MARK_ROLES[marks[index].role])
    rest = filled - index
    if rest <= 0:
        return Span(" ", "bar_empty")
    role = _zone(index, marks)
    return Span(_FULL if rest >= 1 else _EIGHTHS[max(1, int(rest * 8))], role)


def _zone(index: int, marks: dict[int, Threshold]) -> Role:
    passed = [marks[column].role for column in sorted(marks) if column < index]
    return passed[-1] if passed else "bar_ok"


def _merged(cells: tuple[Span, ...]) -> Line:
    runs: list[Span] = []
    for cell in cells:
        if runs and runs[-1].role == cell.role:
            runs[-1] = Span(runs[-1].text + cell.text, cell.role)
        else:
            runs.append(cell)
    return tuple(runs)


def scale_labels(gauge: Gauge, width: int) -> Line:
    """The thresholds' numbers under their marks, as many as fit without touching: `    900 1,020 1,200`."""
    inner = max(1, width - 2)
    text = ""
    for threshold in gauge.thresholds:
        label = f"{threshold.at:,}"
        start = 1 + _column(threshold, gauge.scale, inner) - len(label) // 2
        start = max(start, len(text) + 1 if text else 0)
        if start + len(label) > width:
            break
        text = text.ljust(start) + label
    return (Span(text.ljust(width), "muted"),)
