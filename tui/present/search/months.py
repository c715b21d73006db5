"""The months of what was found as a strip of bars: when a thing was told of is seen before any hit is read."""

from collections.abc import Sequence

from engine.search.values import MonthCount
from tui.present.spans import Line
from tui.present.strip import strip
from tui.present.words import noun


def strip_of(months: Sequence[MonthCount], width: int) -> Line:
    """`Oct 2025 ▁▁▂▂··▇▇ Mar 2026  most in Jan 2026: 7 hits`; empty for fewer than two months, or too little room."""
    if not months:
        return ()
    most = max(months, key=lambda month: (month.hits, month.month))
    first, last = (f"{month.month:%b} {month.month.year}" for month in (months[0], months[-1]))
    said = f"most in {most.month:%b} {most.month.year}: {noun(most.hits, 'hit')}"
    return strip([month.hits for month in months], first, last, said, width)
