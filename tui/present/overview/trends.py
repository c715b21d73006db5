"""Draws the courses of all gauges below each other: names, curves on one time axis, and outlooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from engine.text.safe_text import clip, in_column
from tui.present.overview.forecast import Outlook, axis_start, level_role, next_crossing, spread_over
from tui.present.overview.verdict import gauge_name
from tui.present.plot import merged
from tui.present.spans import Line, Role, Span

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend

_NAME, _WORDS = 16, 25
"""Cells of the columns beside the curve, with blanks; the gauges above show the values."""
_LEAST_CURVE, _TALLEST = 8, 8  # cells of a curve from which on it is drawn, and lines that one takes at most
_EIGHTHS = " ▁▂▃▄▅▆▇█"


def trend_lines(trends: Sequence[Trend], outlooks: Mapping[str, Outlook], width: int, height: int) -> tuple[Line, ...]:
    """Draws as many gauges as fit, the most urgent first, all equally tall, with the time axis below."""
    if height < 2 or not any(trend.points for trend in trends):
        return ((Span("no sample yet: a course takes a day", "muted"),),) if height > 0 else ()
    shown = sorted(trends, key=_urgency)[: height - 1]
    tall, over = divmod(height - 1, len(shown))
    cells = max(_LEAST_CURVE, width - _NAME - _WORDS)
    start = axis_start(trends)
    lines: list[Line] = []
    for place, trend in enumerate(shown):
        lines += _course(trend, outlooks.get(trend.id), cells, min(_TALLEST, tall + (place < over)), start)
    return (*lines, _axis(start, max(trend.points[-1][0] for trend in shown if trend.points), cells))


def _urgency(trend: Trend) -> tuple[bool, int]:
    """Sorts gauges above their last limit first, then by the days until the next limit."""
    crossing = next_crossing(trend)
    over = bool(trend.limits) and trend.value > trend.limits[-1].value
    return not over, crossing.days if crossing is not None else 1 << 30


def _course(trend: Trend, outlook: Outlook | None, cells: int, tall: int, start: datetime | None) -> list[Line]:
    rows = _bars(trend, cells, tall, start)
    said = next((words for words in outlook.words if len(words) <= _WORDS - 2), "") if outlook is not None else ""
    name = Span(in_column(clip(gauge_name(trend.id), _NAME - 1), _NAME), "text")
    last: Line = (name, *rows[-1], Span(f"  {said}", outlook.role if outlook is not None else "muted"))
    return [*((Span(" " * _NAME), *row) for row in rows[:-1]), last]


def _bars(trend: Trend, cells: int, tall: int, start: datetime | None) -> list[Line]:
    """Draws the curve as blocks between its least and greatest value; the line above stays blank."""
    values = spread_over(trend.points, cells, start) if trend.points else [None] * cells
    known = [value for value in values if value is not None] or [0]
    limits = tuple(limit.value for limit in trend.limits)
    low, high = min(known), max(known)
    room = max(high - low, (limits[-1] if limits else high) / 10, 1)
    steps = 8 * tall - 2
    heights = [None if value is None else 1 + round((value - low) / room * (steps - 1)) for value in values]
    roles = [("rule" if value is None else level_role(value, limits)) for value in values]
    return [_row(heights, roles, 8 * (tall - 1 - line)) for line in range(tall)]


def _row(heights: Sequence[int | None], roles: Sequence[Role], floor: int) -> Line:
    return merged(map(Span, (_EIGHTHS[max(0, min(8, (height or 0) - floor))] for height in heights), roles))


def _axis(start: datetime | None, end: datetime, cells: int) -> Line:
    if start is None:
        return ()
    first, last = (f"{at.day} {at:%b}" for at in (start, end))
    first = "" if first == last else first
    return (Span(" " * _NAME), Span(f"{first}{last:>{max(1, cells - len(first))}}", "muted"))
