"""Draws counts over time as one line of bars between the names of the first and the last."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from math import ceil

from engine.plans.operation import Operation
from engine.search.values import MonthCount
from tui.present.plot import merged
from tui.present.spans import Line, Span
from tui.present.words import noun

_LEVELS = "▁▂▃▄▅▆▇█"
_EMPTY = "·"
_FEWEST = 2  # counts from which on a strip says more than a number
_WIDEST_BAR = 3  # cells of a count at most, so that few do not look like much


def strip(counts: Sequence[int], first: str, last: str, said: str, width: int) -> Line:
    """Draws `Oct 2025 ▁▁▂▂··▇▇ Mar 2026 most in …`, `said` only if it fits; empty for fewer than two counts."""
    if len(counts) < _FEWEST:
        return ()
    room = width - len(first) - len(last) - 2
    said = f"  {said}" if said else ""
    said = said if room - len(said) >= len(counts) or room - len(said) >= width // 3 else ""
    room -= len(said)
    if room < _FEWEST:
        return ()
    return (Span(f"{first} ", "muted"), *bars(counts, room), Span(f" {last}", "muted"), Span(said, "muted"))


def bars(counts: Sequence[int], room: int) -> Line:
    """Draws a bar for each count, or for groups of counts if there is too little room."""
    each = ceil(len(counts) / room)
    parts = [sum(counts[at : at + each]) for at in range(0, len(counts), each)]
    wide, highest = max(1, min(_WIDEST_BAR, room // len(parts))), max(*parts, 1)
    cells = (_LEVELS[ceil(part / highest * len(_LEVELS)) - 1] if part else _EMPTY for part in parts)
    return merged(
        Span(cell * wide, "accent" if cell == _LEVELS[-1] else "muted" if cell == _EMPTY else "info") for cell in cells
    )


def strip_of(months: Sequence[MonthCount], width: int) -> Line:
    """Draws `Oct 2025 ▁▁▂▂··▇▇ Mar 2026 most in Jan 2026: 7 hits`; empty for fewer than two months."""
    if not months:
        return ()
    most = max(months, key=lambda month: (month.hits, month.month))
    first, last = (f"{month.month:%b} {month.month.year}" for month in (months[0], months[-1]))
    said = f"most in {most.month:%b} {most.month.year}: {noun(most.hits, 'hit')}"
    return strip([month.hits for month in months], first, last, said, width)


def days_strip(operations: Sequence[Operation], now: datetime, width: int) -> Line:
    """Draws `22 Sep ▁···▃····█ today most on 21 Oct: 118 changes`, in the zone of `now`, with undone changes."""
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
