"""Predicts when a gauge crosses its limits at the rate it grew at: pure, robust, and silent where nothing grows."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import combinations
from math import ceil
from statistics import median

import msgspec

from engine.monitoring.gauges import GaugeLimit

WINDOW = timedelta(days=28)
"""The time over which growth is looked at: four of the weekly runs."""
LEAST_SPAN = timedelta(days=1)
LEAST_SAMPLES = 4
BUCKETS = 96
"""Samples of one part of the window count as one, so that a busy hour does not outweigh a week; bounds the pairs."""
FALL = 0.2
"""A fall by more than this share is a compaction: growth is measured from there on."""
FARTHEST_DAYS = 3650

Point = tuple[datetime, int]


class Crossing(msgspec.Struct, frozen=True):
    """A limit that will be crossed: `days` from the last sample, rounded up, and the instant."""

    limit: str
    value: int
    days: int
    at: datetime


class Forecast(msgspec.Struct, frozen=True):
    """Growth per week and each limit still ahead, the nearest first. None of them within ten years: empty."""

    per_week: float
    since: datetime
    crossings: tuple[Crossing, ...]


def forecast(points: Sequence[Point], limits: Sequence[GaugeLimit], now: datetime) -> Forecast | None:
    """The outlook from samples in order of time; None for too few samples, too short a span, or no growth."""
    recent = spread([point for point in points if now - WINDOW <= point[0] <= now])
    grown = since_last_fall(recent)
    if len(grown) < LEAST_SAMPLES or grown[-1][0] - grown[0][0] < LEAST_SPAN:
        return None
    per_day = theil_sen(grown)
    if per_day <= 0:
        return None
    at, value = grown[-1]
    crossings = [_crossing(limit, (limit.value - value) / per_day, at) for limit in limits if limit.value >= value]
    near = sorted((c for c in crossings if c is not None), key=lambda crossing: (crossing.at, crossing.value))
    return Forecast(per_day * 7, grown[0][0], tuple(near))


def _crossing(limit: GaugeLimit, days: float, start: datetime) -> Crossing | None:
    if days > FARTHEST_DAYS:
        return None
    return Crossing(limit.name, limit.value, max(0, ceil(days)), start + timedelta(days=days))


def spread(points: Sequence[Point]) -> list[Point]:
    """The last sample of each part of the window that has any, in order of time."""
    last: dict[int, Point] = {}
    for point in points:
        last[int((point[0] - points[0][0]) / (WINDOW / BUCKETS))] = point
    return [last[part] for part in sorted(last)]


def since_last_fall(points: Sequence[Point]) -> Sequence[Point]:
    """The samples from the last fall on that was more than noise: what a compaction took away does not come back."""
    start = 0
    for index in range(1, len(points)):
        if points[index][1] < points[index - 1][1] * (1 - FALL):
            start = index
    return points[start:]


def theil_sen(points: Sequence[Point]) -> float:
    """Growth per day: the median slope over all pairs, which a few outliers cannot move."""
    slopes = [
        (later - earlier) / ((end - start) / timedelta(days=1))
        for (start, earlier), (end, later) in combinations(points, 2)
        if end > start
    ]
    return median(slopes) if slopes else 0.0
