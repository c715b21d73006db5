"""Makes the chart of one gauge: samples of a span, a forecast with bounds, and the gauge's members."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from engine.monitoring.trends import Point, Trend

SPANS = (30, 90, 365)  # days that a chart can show
AHEAD = 3  # a forecast reaches a third as far as the span looks back
_STEPS = 12  # points of a forecast: its bounds are straight, so a few tell all


class ForecastPoint(msgspec.Struct, frozen=True):
    """The expected value at an instant, and its 90 % confidence bounds."""

    at: datetime
    value: float
    low: float
    high: float


class GaugeMember(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a gauge counts. `line`: from 1; `age_days`: None if unknown; `eligible`: may be compacted."""

    path: str
    line: int
    title: str
    tokens: int
    lines: int
    age_days: int | None = None
    eligible: bool = False


class GaugeChart(msgspec.Struct, frozen=True, kw_only=True):
    """A gauge from `start` to `end`: the samples before `now`, the forecast after it, and the members of the figure."""

    trend: Trend
    days: int
    start: datetime
    now: datetime
    end: datetime
    points: tuple[Point, ...]
    ahead: tuple[ForecastPoint, ...]
    members: tuple[GaugeMember, ...]


def chart(trend: Trend, days: int, now: datetime, members: Sequence[GaugeMember]) -> GaugeChart:
    """Makes the chart of a trend for the last `days` days, in real time, and a third as many ahead."""
    start, end = now - timedelta(days=days), now + timedelta(days=days / AHEAD)
    points, ahead, counted = within(trend.points, start, now), expected(trend, now, end), tuple(members)
    return GaugeChart(
        trend=trend, days=days, start=start, now=now, end=end, points=points, ahead=ahead, members=counted
    )


def within(points: Sequence[Point], start: datetime, now: datetime) -> tuple[Point, ...]:
    """Returns the samples of a span; the last one before it is moved to its start."""
    before = [value for at, value in points if at <= start][-1:]
    return (*((start, value) for value in before), *(point for point in points if start < point[0] <= now))


def expected(trend: Trend, now: datetime, end: datetime) -> tuple[ForecastPoint, ...]:
    """Forecasts the gauge from `now` to `end`, never below 0; empty without growth or enough samples."""
    if trend.forecast is None:
        return ()
    outlook, found = trend.forecast, []
    for step in range(_STEPS + 1):
        at = now + (end - now) * step / _STEPS
        weeks = (at - now) / timedelta(weeks=1)
        value, low, high = (
            max(0.0, trend.value + rate * weeks) for rate in (outlook.per_week, outlook.slowest, outlook.fastest)
        )
        found.append(ForecastPoint(at, value, low, high))
    return tuple(found)
