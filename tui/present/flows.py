"""Draws what goes through a stage of the pipeline: a bar of what is through and what waits, its week, its month."""

from collections.abc import Sequence
from datetime import date, timedelta
from math import ceil

from engine.lifecycle.pipeline import StageFlow
from engine.workspace.values import Progress
from tui.present.plot import LEAST_TICK, dated, merged
from tui.present.spans import Line, Role, Span

_LEVELS = " ▁▂▃▄▅▆▇█"
_NONE = "·"
_FILLS: dict[Role, str] = {"info": "▓", "warn": "▒", "accent": "▒", "muted": "░"}
"""The signs of the parts of a bar, so that no colour alone tells them; any other part is full."""
_WIDEST_DAY = 6  # cells of a day at most, of which the last one parts it from the next


def share_bar(parts: Sequence[tuple[int, Role]], whole: int, width: int) -> Line:
    """`▕██████▒▒  ▏` in `width` cells: parts of a whole, each of which has a cell where it is not nothing."""
    room, cells = max(1, width - 2), list[Span]()
    for size, role in parts:
        if size and whole:
            many = min(max(1, round(room * size / whole)), room - len(cells))
            cells += [Span(_FILLS.get(role, "█"), role)] * many
    cells += [Span(" ", "bar_empty")] * (room - len(cells))
    return (Span("▕", "rule"), *merged(cells), Span("▏", "rule"))


def flow_bar(flow: StageFlow, width: int, step: Progress | None = None) -> Line:
    """Draws what is through and what waits, or how far the dry run of the stage is; blank where there is neither."""
    if step is not None and step.total:
        return share_bar(((step.done, "info"),), step.total, width)
    through, waits = flow.all_through, flow.all_waiting
    # What waits keeps a cell, however much is through.
    kept = min(through, (through + waits) * (width - 3) // max(1, width - 2)) if waits else through
    return share_bar(((kept, "bar_ok"), (waits, "warn")), through + waits, width)


def days_strip(flow: StageFlow, many: int) -> Line:
    """`▂·▁▇··· 4`: the last days as bars, and how much went through in them."""
    days = flow.through[-many:]
    most = max(*days, 1)
    bars = (_LEVELS[ceil(day / most * 8)] if day else _NONE for day in days)
    return (*merged(Span(bar, "muted" if bar == _NONE else "info") for bar in bars), Span(f" {sum(days):<4,}", "muted"))


def flow_lines(flow: StageFlow, today: date, width: int, height: int) -> tuple[Line, ...]:
    """A column a day in `width` × `height` cells: what went through from the bottom, above it what waits, dates
    below."""
    days = len(flow.through)
    most = max(1, *(done + waits for done, waits in zip(flow.through, flow.waiting, strict=True)))
    left = len(f"{most:,}") + 1
    cell = max(1, min(_WIDEST_DAY, (width - left) // days))
    tall = max(1, height - 1)
    columns = [_column(done, waits, most, tall, cell) for done, waits in zip(flow.through, flow.waiting, strict=True)]
    lines = []
    for row in range(tall):
        figure = f"{most:,}" if not row else "0" if row == tall - 1 else ""
        cells = (span for column in columns for span in column[row])
        lines.append((Span(f"{figure:>{left - 1}} ", "muted"), *merged(cells)))
    room = cell * days
    many = max(1, room // (2 * LEAST_TICK))
    ticks = [today - timedelta(days=round((days - 1) * (1 - tick / many))) for tick in range(many + 1)]
    return (*lines, (Span(" " * left), Span(dated([" "] * room, ticks, days), "muted")))


def _column(done: int, waits: int, most: int, tall: int, cell: int) -> list[tuple[Span, ...]]:
    """A day's column, its cells from the top; the least amount has an eighth of a cell."""
    steps = tall * 8
    upper, lower = (ceil(figure / most * steps) for figure in (done + waits, done))
    bar, gap = (cell - 1, 1) if cell > 1 else (1, 0)
    column: list[tuple[Span, ...]] = []
    for row in range(tall):
        base = (tall - 1 - row) * 8
        solid, all_of_it = (max(0, min(8, level - base)) for level in (lower, upper))
        if not all_of_it:
            drawn = Span((_NONE if base == 0 else " ") * bar, "muted")
        elif solid or not waits:
            drawn = Span(_LEVELS[solid] * bar, "info")
        else:
            drawn = Span("▒" * bar, "warn")
        column.append((drawn, Span(" " * gap)))
    return column
