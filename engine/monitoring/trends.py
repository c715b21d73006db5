"""The course of the gauges, kept as one small row per sample in the operator's state."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from engine.monitoring.forecast import Forecast, Point, forecast
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.state.database import StateDatabase
from engine.state.rows import GAUGE_SAMPLES, Instant
from engine.state.table import Table

LEAST_GAP = timedelta(minutes=1)  # between two samples at least, however fast the gauges change
HEARTBEAT = timedelta(hours=1)
"""After this long a sample is taken although nothing changed, so that standing still is seen."""
MOST = 4_000  # samples kept: the newest half as they are, of the older ones the last of each day


class GaugeSample(msgspec.Struct, frozen=True, array_like=True):
    """The values of all gauges at one instant of real time."""

    at: Instant
    values: dict[str, int]


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """One gauge over time, oldest first, with its outlook; None where nothing grows or too little is known."""

    id: str
    unit: str
    value: int
    limits: tuple[GaugeLimit, ...]
    points: tuple[Point, ...]
    forecast: Forecast | None


class TrendLog:
    """Adds samples and reads them back. Where they cannot be read there are none: that costs a forecast at most."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, GAUGE_SAMPLES)
        self._known: tuple[tuple[int, int], tuple[GaugeSample, ...]] | None = None

    def samples(self) -> tuple[GaugeSample, ...]:
        """Every sample, in order of time; read again only where one came or went."""
        extent = self._table.extent()
        if self._known is None or self._known[0] != extent:
            self._known = (extent, _in_order(self._table.values(GaugeSample).values()))
        return self._known[1]

    def record(self, gauges: Iterable[GaugeReading], now: datetime) -> bool:
        """Takes a sample where one is due; tells whether it did. Raises as `StateDatabase.transaction`."""
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
    """The newest half as it is, and of the older half the last sample of each day, at most a quarter in all."""
    older, newer = samples[: -MOST // 2], samples[-MOST // 2 :]
    daily = {sample.at.date(): sample for sample in older}
    return (*list(daily.values())[-MOST // 4 :], *newer)


def trends(
    gauges: Sequence[GaugeReading], samples: Sequence[GaugeSample], now: datetime, *, present: bool = True
) -> tuple[Trend, ...]:
    """The course of each gauge that there is now; `present`: with its value now as the last point."""
    return tuple(_trend(gauge, samples, now, present) for gauge in gauges)


def _trend(gauge: GaugeReading, samples: Sequence[GaugeSample], now: datetime, present: bool) -> Trend:
    points = [(sample.at, sample.values[gauge.id]) for sample in samples if gauge.id in sample.values]
    points = [point for point in points if point[0] < now]
    if present:
        points.append((now, gauge.value))
    unit, value, limits, outlook = gauge.unit, gauge.value, gauge.limits, forecast(points, gauge.limits, now)
    return Trend(id=gauge.id, unit=unit, value=value, limits=limits, points=tuple(points), forecast=outlook)
