"""Stores gauges over time, one small row a sample, and forecasts them."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from math import ceil, sqrt
from statistics import median

import msgspec

from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.state.database import StateDatabase
from engine.state.table import Instant, StateTable, Table

WINDOW = timedelta(days=28)  # the time over which growth is looked at: four of the weekly runs
LEAST_SPAN = timedelta(days=1)
"""Least time between first and last sample: a slope of some hours says nothing of weeks."""
LEAST_SAMPLES = 4  # samples since the last fall without which no growth is told
BUCKETS = 96
"""Parts of the window; samples of one part count as one, so that a busy hour does not outweigh a week."""
FALL = 0.2  # a fall by more than this share is a compaction: growth is measured from there on
FARTHEST_DAYS = 3650  # ten years: a limit that is reached later is not told, and no date overflows
_Z90 = 1.645  # the quantile of the normal distribution that leaves 5 % on either side

Point = tuple[datetime, int]


class Crossing(msgspec.Struct, frozen=True):
    """A limit that will be crossed: when, and in how many days from the last sample, rounded up."""

    limit: str
    value: int
    days: int
    at: datetime


class Forecast(msgspec.Struct, frozen=True):
    """Weekly growth, and the limits crossed within ten years, nearest first. `slowest`, `fastest`: 90 % bounds."""

    per_week: float
    since: datetime
    crossings: tuple[Crossing, ...]
    slowest: float
    fastest: float


def forecast(points: Sequence[Point], limits: Sequence[GaugeLimit], now: datetime) -> Forecast | None:
    """Forecasts from samples in order of time; None with too few samples, too short a span, or no growth."""
    grown = since_last_fall(spread([point for point in points if now - WINDOW <= point[0] <= now]))
    if len(grown) < LEAST_SAMPLES or grown[-1][0] - grown[0][0] < LEAST_SPAN:
        return None
    per_day = theil_sen(grown)
    if per_day <= 0:
        return None
    slow, fast = slope_interval(daily(grown), per_day)
    at, value = grown[-1]
    ahead = [(limit, (limit.value - value) / per_day) for limit in limits if limit.value >= value]
    crossings = [
        Crossing(limit.name, limit.value, max(0, ceil(days)), at + timedelta(days=days))
        for limit, days in ahead
        if days <= FARTHEST_DAYS
    ]
    near = sorted(crossings, key=lambda crossing: (crossing.at, crossing.value))
    return Forecast(per_day * 7, grown[0][0], tuple(near), slow * 7, fast * 7)


def spread(points: Sequence[Point]) -> list[Point]:
    """Returns the last sample of each part of the window, in order of time."""
    last = {int((point[0] - points[0][0]) / (WINDOW / BUCKETS)): point for point in points}
    return [last[part] for part in sorted(last)]


def since_last_fall(points: Sequence[Point]) -> Sequence[Point]:
    """Returns the samples since the last real fall: what a compaction removed does not come back."""
    falls = (at for at in range(len(points) - 1, 0, -1) if points[at][1] < points[at - 1][1] * (1 - FALL))
    return points[next(falls, 0) :]


def daily(points: Sequence[Point]) -> list[Point]:
    """Returns the last sample of each day: several of one day would feign certainty."""
    return list({point[0].date(): point for point in points}.values())


def theil_sen(points: Sequence[Point]) -> float:
    """Returns the growth per day: the median slope over all pairs, robust to outliers."""
    found = _slopes(points)
    return median(found) if found else 0.0


def slope_interval(points: Sequence[Point], per_day: float) -> tuple[float, float]:
    """Returns 90 % confidence bounds of the growth per day, by ranks of slopes (Sen 1968), always around `per_day`;
    with fewer than three samples from none to twice as fast."""
    found = sorted(_slopes(points))
    if len(points) < 3 or not found:
        return min(0.0, per_day), max(0.0, 2 * per_day)
    # The standard deviation of Kendall's statistic, without ties.
    spread_of_ranks = _Z90 * sqrt(len(points) * (len(points) - 1) * (2 * len(points) + 5) / 18)
    low = max(0, int((len(found) - spread_of_ranks) / 2))
    high = min(len(found) - 1, ceil((len(found) + spread_of_ranks) / 2))
    return min(found[low], per_day), max(found[high], per_day)


def _slopes(points: Sequence[Point]) -> list[float]:
    return [
        (later - earlier) / ((end - start) / timedelta(days=1))
        for (start, earlier), (end, later) in combinations(points, 2)
        if end > start
    ]


LEAST_GAP = timedelta(minutes=1)  # between two samples at least, however fast the gauges change
HEARTBEAT = timedelta(hours=1)
"""Time after which a sample is taken even if nothing changed."""
MOST = 4_000  # samples kept: the newest half as they are, of the older ones the last of each day


class GaugeSample(msgspec.Struct, frozen=True, array_like=True):
    """The values of all gauges at one instant of real time."""

    at: Instant
    values: dict[str, int]


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """One gauge over time, oldest sample first. `forecast`: None without growth or enough samples."""

    id: str
    unit: str
    value: int
    limits: tuple[GaugeLimit, ...]
    points: tuple[Point, ...]
    forecast: Forecast | None


class TrendLog:
    """Adds and reads samples. Unreadable samples only cost a forecast."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.GAUGE_SAMPLES)
        self._known: tuple[tuple[int, int], tuple[GaugeSample, ...]] | None = None

    def samples(self) -> tuple[GaugeSample, ...]:
        """Returns every sample in order of time; cached until one is added or removed."""
        extent = self._table.extent()
        if self._known is None or self._known[0] != extent:
            self._known = (extent, _in_order(self._table.values(GaugeSample).values()))
        return self._known[1]

    def record(self, gauges: Iterable[GaugeReading], now: datetime) -> bool:
        """Takes a sample if one is due; returns whether it did. Raises as `StateDatabase.transaction`."""
        sample = GaugeSample(now.astimezone(UTC), {gauge.id: gauge.value for gauge in gauges})
        if not _is_due(self.samples(), sample):
            return False
        with self._table.change() as rows:
            known = _in_order(rows.values(GaugeSample).values())
            if not _is_due(known, sample):  # another process was quicker
                return False
            rows.put(_key(sample), msgspec.json.encode(sample))
            if len(known) >= MOST:
                for gone in {*map(_key, known)} - {*map(_key, thinned(known))}:
                    rows.drop(gone)
        return True


def _in_order(samples: Iterable[GaugeSample]) -> tuple[GaugeSample, ...]:
    return tuple(sorted(samples, key=lambda sample: sample.at))


def _key(sample: GaugeSample) -> str:
    return sample.at.isoformat()


def _is_due(known: Sequence[GaugeSample], new: GaugeSample) -> bool:
    if not known:
        return True
    last = known[-1]
    if new.at < last.at:  # a clock set back: nothing is learned until it has caught up
        return False
    return new.at - last.at >= (LEAST_GAP if new.values != last.values else HEARTBEAT)


def thinned(samples: Sequence[GaugeSample]) -> tuple[GaugeSample, ...]:
    """Keeps the newest half, and of the older half the last sample of each day, at most a quarter in all."""
    older, newer = samples[: -MOST // 2], samples[-MOST // 2 :]
    daily = {sample.at.date(): sample for sample in older}
    return (*list(daily.values())[-MOST // 4 :], *newer)


def trends(
    gauges: Sequence[GaugeReading], samples: Sequence[GaugeSample], now: datetime, *, present: bool = True
) -> tuple[Trend, ...]:
    """Returns the trend of each present gauge; `present`: with its present value as the last point."""
    return tuple(_trend(gauge, samples, now, present) for gauge in gauges)


def _trend(gauge: GaugeReading, samples: Sequence[GaugeSample], now: datetime, present: bool) -> Trend:
    points = [(sample.at, sample.values[gauge.id]) for sample in samples if gauge.id in sample.values]
    points = [point for point in points if point[0] < now]
    if present:
        points.append((now, gauge.value))
    unit, value, limits, outlook = gauge.unit, gauge.value, gauge.limits, forecast(points, gauge.limits, now)
    return Trend(id=gauge.id, unit=unit, value=value, limits=limits, points=tuple(points), forecast=outlook)
