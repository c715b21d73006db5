"""Describes long work in one line: what is done, the rate, and the time left."""

from engine.workspace.values import Progress
from tui.present.words import duration

SURE_SECONDS = 3.0  # until then a rate is a guess, and is not told
_MEGABYTE = 1_000_000  # bytes of a megabyte, and the least work that is told in bytes


class Pace:
    """Measures the rate of one piece of work since its stage began; times are seconds of any steady clock."""

    def __init__(self) -> None:
        self._stage = ""
        self._since = 0.0
        self._first = Progress("", 0)

    def words(self, step: Progress, now: float) -> str:
        """Returns `indexing 12 of 60 files · 190 of 954 MB · 2.1 MB/s · 6 min left`, or parts per second."""
        of = f" of {step.total:,}" if step.total is not None else ""
        words = f"{step.stage} {step.done:,}{of}"
        if step.total_size >= _MEGABYTE:
            words += f" files · {step.size / _MEGABYTE:,.0f} of {step.total_size / _MEGABYTE:,.0f} MB"
        return words + self.rest(step, now)

    def rest(self, step: Progress, now: float) -> str:
        """Returns ` · 120/s · 29 s left`; empty until the rate is known."""
        if step.stage != self._stage:
            self._stage, self._since, self._first = step.stage, now, step
        seconds = now - self._since
        return self._bytes_rate(step, seconds) if step.total_size >= _MEGABYTE else self._parts_rate(step, seconds)

    def _bytes_rate(self, step: Progress, seconds: float) -> str:
        done = step.size - self._first.size
        if seconds < SURE_SECONDS or done <= 0:
            return ""
        rate = done / seconds
        return f" · {rate / _MEGABYTE:.1f} MB/s · {duration((step.total_size - step.size) / rate)} left"

    def _parts_rate(self, step: Progress, seconds: float) -> str:
        """Returns the rate in parts; empty if it is below one a second, the total is unknown, or all is done."""
        done = step.done - self._first.done
        if step.total is None or step.done >= step.total or seconds < SURE_SECONDS or done < seconds:
            return ""
        rate = done / seconds
        return f" · {rate:,.0f}/s · {duration((step.total - step.done) / rate)} left"
