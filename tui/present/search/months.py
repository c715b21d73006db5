"""The months of what was found as a strip of bars: when a thing was told of is seen before any hit is read."""

from collections.abc import Sequence
from math import ceil

from engine.search.results.months import MonthCount
from tui.present.plot import merged
from tui.present.spans import Line, Span
from tui.present.words import noun

_LEVELS = "▁▂▃▄▅▆▇█"
_EMPTY = "·"
_FEWEST = 2
"""Months from which on a strip says more than the hits themselves."""
_WIDEST_BAR = 3
"""Cells of a month at most, so that few months do not look like much."""


def strip_of(months: Sequence[MonthCount], width: int) -> Line:
    """`Oct 2025 ▁▁▂▂··▇▇ Mar 2026   most in Jan 2026: 7 hits`; empty for fewer than two months, or too little room."""
    if len(months) < _FEWEST:
        return ()
    most = max(months, key=lambda month: (month.hits, month.month))
    first, last = (f"{month.month:%b} {month.month.year}" for month in (months[0], months[-1]))
    said = f"  most in {most.month:%b} {most.month.year}: {noun(most.hits, 'hit')}"
    room = width - len(first) - len(last) - 2
    said = said if room - len(said) >= len(months) or room - len(said) >= width // 3 else ""
    room -= len(said)
    if room < _FEWEST:
        return ()
    return (Span(f"{first} ", "muted"), *_bars(months, room), Span(f" {last}", "muted"), Span(said, "muted"))


def _bars(months: Sequence[MonthCount], room: int) -> Line:
    """A bar a month where there is room, else one for so many months as it takes."""
    each = ceil(len(months) / room)
    parts = [sum(month.hits for month in months[at : at + each]) for at in range(0, len(months), each)]
    wide, highest = max(1, min(_WIDEST_BAR, room // len(parts))), max(*parts, 1)
    cells = (_LEVELS[ceil(part / highest * len(_LEVELS)) - 1] if part else _EMPTY for part in parts)
    return merged(
        Span(cell * wide, "accent" if cell == _LEVELS[-1] else "muted" if cell == _EMPTY else "info") for cell in cells
    )
