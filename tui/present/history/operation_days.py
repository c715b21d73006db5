"""The operations as a strip over time: on which days how many changes were made."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from engine.plans.operation import Operation
from tui.present.spans import Line
from tui.present.strip import strip
from tui.present.words import noun


def days_strip(operations: Sequence[Operation], now: datetime, width: int) -> Line:
    """`22 Sep ▁···▃····█ today  most on 21 Oct: 118 changes`; days in the zone of `now`, undone changes count too."""
    counts = Counter[date]()
    for operation in operations:
        counts[operation.started_at.astimezone(now.tzinfo).date()] += len(operation.done)
    if not counts.total():
        return ()
    today, first = now.date(), min(counts)
    last = max(today, max(counts))
    most = max(counts, key=lambda day: (counts[day], day))
    days = [counts[first + timedelta(days=number)] for number in range((last - first).days + 1)]
    said = f"most on {most.day} {most:%b}: {noun(counts[most], 'change')}"
    return strip(days, f"{first.day} {first:%b}", "today" if last == today else f"{last.day} {last:%b}", said, width)
