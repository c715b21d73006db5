"""Gains of files whose own day is near the days that a question speaks of."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from engine.search.dates.span import DaySpan
from engine.search.store.schema import Database
from engine.search.vectors.layout import Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GAIN = 2.0
"""The gain of a file of the very day: more than words alone can give, less than words and meaning together."""
FADES_IN_DAYS = 7.0
FURTHEST = timedelta(days=60)
"""Beyond it a file gains less than a thousandth."""


def by_dates(database: Database, where: Layout, spans: Sequence[DaySpan]) -> "NDArray[np.float64]":
    """Per file: `GAIN` within the days, fading with the days between; nothing where the file has no day of its own."""
    import numpy as np

    found = np.zeros(len(where.files))
    for span in spans:
        first, last = _days_around(span)
        rows = database.rows("SELECT id, day FROM files WHERE dated AND day BETWEEN ? AND ?", (first, last))
        if not rows:
            continue
        places = np.searchsorted(where.files, np.array([int(row[0]) for row in rows]))
        apart = np.array([days_apart(span, date.fromisoformat(str(row[1]))) for row in rows])
        np.maximum.at(found, places, GAIN * np.exp(-apart / FADES_IN_DAYS))
    return found


def days_apart(span: DaySpan, day: date) -> int:
    """Counts the days from a day to the nearest of the span; 0 within it."""
    return max(0, (span.first - day).days, (day - span.last).days)


def _days_around(span: DaySpan) -> tuple[str, str]:
    first = max(span.first.toordinal() - FURTHEST.days, 1)
    last = min(span.last.toordinal() + FURTHEST.days, date.max.toordinal())
    return date.fromordinal(first).isoformat(), date.fromordinal(last).isoformat()
