"""One gauge over a span of days: its samples, the forecast beyond them with its uncertainty, and what it counts."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from engine.monitoring.trends import Point, Trend

SPANS = (30, 90, 365)  # days that a chart can show
AHEAD = 3  # a forecast reaches a third as far as the span looks back
_STEPS = 12  # points of a forecast: its bounds are straight, so a few tell all


class ForecastPoint(msgspec.Struct, frozen=True):
    """The value that is expected at an instant, and the bounds that hold it with a confidence of 90 %."""

    at: datetime
    value: float
    low: float
    high: float


class GaugeMember(msgspec.Struct, frozen=True, kw_only=True):
    """A file, an entry or a section that a gauge counts. `line` counts from 1; `age_days` is None where none is known.
    `eligible`: a compaction may take it today. `lines` is the number of its lines."""

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
    """Gives the chart of a trend over so many days up to `now` (real time), with a third as many ahead."""
    start, end = now - timedelta(days=days), now + timedelta(days=days / AHEAD)
    points, ahead, counted = within(trend.points, start, now), expected(trend, now, end), tuple(members)
    return GaugeChart(
        trend=trend, days=days, start=start, now=now, end=end, points=points, ahead=ahead, members=counted
    )


def within(points: Sequence[Point], start: datetime, now: datetime) -> tuple[Point, ...]:
    """Gives the samples of a span; the last one before it stands at its start, where the course then was."""
    before = [value for at, value in points if at <= start][-1:]
    return (*((start, value) for value in before), *(point for point in points if start < point[0] <= now))


def expected(trend: Trend, now: datetime, end: datetime) -> tuple[ForecastPoint, ...]:
    """The forecast from `now` to `end`; empty where nothing grows or too little is known. Nothing falls below 0."""
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
