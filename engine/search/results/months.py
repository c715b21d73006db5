"""Counts hits by month, from the first month that has one to the last."""

from collections import Counter
from collections.abc import Iterable
from datetime import date

import msgspec

from engine.search.values import SearchHit


class MonthCount(msgspec.Struct, frozen=True):
    """The hits whose file is of one month, named by its first day."""

    month: date
    hits: int


def by_month(hits: Iterable[SearchHit]) -> tuple[MonthCount, ...]:
    """Every month between the first and the last dated hit, empty ones as 0; hits without a day count nowhere."""
    counts = Counter(date.fromisoformat(hit.day).replace(day=1) for hit in hits if hit.day)
    if not counts:
        return ()
    first, last = (month.year * 12 + month.month - 1 for month in (min(counts), max(counts)))
    months = (date(number // 12, number % 12 + 1, 1) for number in range(first, last + 1))
    return tuple(MonthCount(month, counts[month]) for month in months)
