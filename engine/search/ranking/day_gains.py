"""Raises the score of files, and of entries in them, whose day is near the days in a question."""

from collections.abc import Sequence
from datetime import date, timedelta

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.dates.days_in_question import DaySpan
from engine.search.store.schema import Database, numbers
from engine.search.vectors.layout import Layout

GAIN = 2.0  # the gain of a file of the very day: more than words and static vectors together can give
WIDE_GAIN, WIDE = 0.5, timedelta(days=7)
"""The gain within spans longer than a week. One note in three that answers for a named month was written later, so
words must decide among notes inside and outside it."""
FADES_IN_DAYS = 7.0  # days from the span at which a file's gain is down to 1/e
FURTHEST = timedelta(days=60)  # beyond it a file gains less than a thousandth


class DateGains(msgspec.Struct, frozen=True):
    """The gain of each file by its own day, and of the chunks with entries near those days, in order."""

    files: NDArray[np.float64]
    chunks: NDArray[np.int64]
    gains: NDArray[np.float64]


def by_dates(database: Database, where: Layout, spans: Sequence[DaySpan]) -> DateGains:
    """Computes the gains: full within the days, fading with distance. Files and entries without a day have none."""
    found = np.zeros(len(where.files))
    for span in spans:
        first, last = _days_around(span)
        rows = database.rows("SELECT id, day FROM files WHERE dated AND day BETWEEN ? AND ?", (first, last))
        if not rows:
            continue
        places = np.searchsorted(where.files, np.array([int(row[0]) for row in rows]))
        apart = np.array([days_apart(span, date.fromisoformat(str(row[1]))) for row in rows])
        np.maximum.at(found, places, gain_within(span) * np.exp(-apart / FADES_IN_DAYS))
    return DateGains(found, *_by_entries(database, spans))


def _by_entries(database: Database, spans: Sequence[DaySpan]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    ids, gains = [np.zeros(0, np.int64)], [np.zeros(0)]
    for span in spans:
        sql = "SELECT day, group_concat(chunk) FROM entries WHERE day BETWEEN ? AND ? GROUP BY day"
        for day, chunks in database.rows(sql, _days_around(span)):
            ids.append(numbers([(chunks,)]))
            apart = days_apart(span, date.fromisoformat(str(day)))
            gains.append(np.full(len(ids[-1]), gain_within(span) * np.exp(-apart / FADES_IN_DAYS)))
    every, place = np.unique(np.concatenate(ids), return_inverse=True)
    best = np.zeros(len(every))
    np.maximum.at(best, place, np.concatenate(gains))
    return every, best


def gain_within(span: DaySpan) -> float:
    """The gain of a file within the days of a span."""
    return WIDE_GAIN if span.last - span.first > WIDE else GAIN


def days_apart(span: DaySpan, day: date) -> int:
    """The number of days from a day to the nearest of the span; 0 within it."""
    return max(0, (span.first - day).days, (day - span.last).days)


def _days_around(span: DaySpan) -> tuple[str, str]:
    first = max(span.first.toordinal() - FURTHEST.days, 1)
    last = min(span.last.toordinal() + FURTHEST.days, date.max.toordinal())
    return date.fromordinal(first).isoformat(), date.fromordinal(last).isoformat()
