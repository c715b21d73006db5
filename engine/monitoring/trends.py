"""The course of the gauges, kept as one small line per sample in the operator's state folder."""

import os
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from engine.monitoring.forecast import Forecast, Point, forecast
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.state.private_files import write_all, write_private

LEAST_GAP = timedelta(minutes=1)
"""Between two samples at least, however fast the gauges change."""
HEARTBEAT = timedelta(hours=1)
"""After this long a sample is taken although nothing changed, so that standing still is seen."""
MOST = 4_000
"""Samples kept: the newest half as they are, of the older ones the last of each day."""
LONGEST = 64 * 1024
"""Bytes of a line; a longer one is none of ours."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is read at all."""


class GaugeSample(msgspec.Struct, frozen=True, array_like=True):
    """The values of all gauges at one instant of real time."""

    at: datetime
    values: dict[str, int]


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """One gauge over time, oldest first, with its outlook; None where nothing grows or too little is known."""

    id: str
    unit: str
    value: int
    limits: tuple[GaugeLimit, ...]
    points: tuple[Point, ...]
    forecast: Forecast | None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(GaugeSample)
_CRC = 9
"""Eight hexadecimal digits of crc32 and a space stand before each line's JSON."""


class TrendLog:
    """Appends samples and reads them back. What is damaged is passed over; losing it costs a forecast at most."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: tuple[int, int, tuple[GaugeSample, ...]] | None = None

    def samples(self) -> tuple[GaugeSample, ...]:
        """Every whole sample, in order of time; read again only where the file changed."""
        try:
            facts = self._file.stat()
            if self._known is not None and self._known[:2] == (facts.st_mtime_ns, facts.st_size):
                return self._known[2]
            data = self._file.read_bytes() if facts.st_size <= LARGEST else b""
        except OSError:
            return ()
        found = tuple(sorted(filter(None, map(_sample, data.split(b"\n"))), key=lambda sample: sample.at))
        self._known = (facts.st_mtime_ns, facts.st_size, found)
        return found

    def record(self, gauges: Iterable[GaugeReading], now: datetime) -> bool:
        """Takes a sample where one is due; whether it did. Raises `OSError` where the disk refuses."""
        sample = GaugeSample(now.astimezone(UTC), {gauge.id: gauge.value for gauge in gauges})
        known = self.samples()
        if known and not _is_due(known[-1], sample):
            return False
        if len(known) >= MOST:
            write_private(self._file, b"".join(map(_line, (*thinned(known), sample))))
        else:
            self._append(sample)
        return True

    def _append(self, sample: GaugeSample) -> None:
        # Not synced: what a crash takes is one sample. A line that it tore is ended by the newline in front.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self._file, flags, 0o600)
        try:
            write_all(fd, (b"\n" if os.fstat(fd).st_size else b"") + _line(sample))
        finally:
            os.close(fd)


def _is_due(last: GaugeSample, new: GaugeSample) -> bool:
    if new.at < last.at:  # a clock set back: nothing is learned until it has caught up
        return False
    return new.at - last.at >= (LEAST_GAP if new.values != last.values else HEARTBEAT)


def thinned(samples: Sequence[GaugeSample]) -> tuple[GaugeSample, ...]:
    """The newest half as it is, and of the older half the last sample of each day, at most a quarter in all."""
    older, newer = samples[: -MOST // 2], samples[-MOST // 2 :]
    daily = {sample.at.date(): sample for sample in older}
    return (*list(daily.values())[-MOST // 4 :], *newer)


def _line(sample: GaugeSample) -> bytes:
    body = _ENCODER.encode(sample)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _sample(line: bytes) -> GaugeSample | None:
    body = line[_CRC:]
    if not body or len(line) > LONGEST:
        return None
    try:
        if int(line[: _CRC - 1], 16) != zlib.crc32(body):
            return None
        sample = _DECODER.decode(body)
    except (ValueError, msgspec.DecodeError, RecursionError):
        return None
    return sample if sample.at.tzinfo is not None else None


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
    return Trend(
        id=gauge.id,
        unit=gauge.unit,
        value=gauge.value,
        limits=gauge.limits,
        points=tuple(points),
        forecast=forecast(points, gauge.limits, now),
    )
