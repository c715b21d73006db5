"""Draws what goes through a stage of the pipeline: a bar of done and waiting, the week, and the month."""

from collections.abc import Sequence
from datetime import date, timedelta
from math import ceil

from engine.lifecycle.stage_counts import StageFlow
from engine.workspace.values import Progress
from tui.present.count_strip import bars
from tui.present.plot import LEAST_TICK, dated, merged
from tui.present.spans import Line, Role, Span

_LEVELS = " ▁▂▃▄▅▆▇█"
_NONE = "·"
_FILLS: dict[Role, str] = {"info": "▓", "warn": "▒", "accent": "▒", "muted": "░"}
"""Patterns of the parts of a bar, so that they differ without colour; other parts are solid."""
_WIDEST_DAY = 6  # cells of a day at most, of which the last one parts it from the next


def share_bar(parts: Sequence[tuple[int, Role]], whole: int, width: int) -> Line:
    """Draws `▕██████▒▒ ▏` in `width` cells: parts of a whole, at least one cell for each part above 0."""
    room, cells = max(1, width - 2), list[Span]()
    for size, role in parts:
        if size and whole:
            many = min(max(1, round(room * size / whole)), room - len(cells))
            cells += [Span(_FILLS.get(role, "█"), role)] * many
    cells += [Span(" ", "bar_empty")] * (room - len(cells))
    return (Span("▕", "rule"), *merged(cells), Span("▏", "rule"))


def flow_bar(flow: StageFlow, width: int, step: Progress | None = None) -> Line:
    """Draws what a stage has done and what waits, or the progress of its dry run."""
    if step is not None and step.total:
        return share_bar(((step.done, "info"),), step.total, width)
    through, waits = flow.all_through, flow.all_waiting
    # What waits keeps a cell, however much is through.
    kept = min(through, (through + waits) * (width - 3) // max(1, width - 2)) if waits else through
    return share_bar(((kept, "bar_ok"), (waits, "warn")), through + waits, width)


def days_strip(flow: StageFlow, many: int) -> Line:
    """Draws `▂·▁▇··· 4`: a bar for each of the last days, and their sum."""
    days = flow.through[-many:]
    return (*bars(days, many), Span(f" {sum(days):<4,}", "muted"))


def flow_lines(flow: StageFlow, today: date, width: int, height: int) -> tuple[Line, ...]:
    """Draws a column for each day in `width` × `height` cells, done below and waiting above, with dates under them."""
    figures, days = tuple(zip(flow.through, flow.waiting, strict=True)), len(flow.through)
    most = max(1, *map(sum, figures))
    left = len(f"{most:,}") + 1
    cell, tall = max(1, min(_WIDEST_DAY, (width - left) // days)), max(1, height - 1)
    lines = []
    for row in range(tall):
        figure = f"{most:,}" if not row else "0" if row == tall - 1 else ""
        drawn = (_day(done / most * tall, waits / most * tall, tall - 1 - row) for done, waits in figures)
        cells = (Span(span.text * max(1, cell - 1) + " " * (cell > 1), span.role) for span in drawn)
        lines.append((Span(f"{figure:>{left - 1}} ", "muted"), *merged(cells)))
    room = cell * days
    many = max(1, room // (2 * LEAST_TICK))
    ticks = [today - timedelta(days=round((days - 1) * (1 - tick / many))) for tick in range(many + 1)]
    return (*lines, (Span(" " * left), Span(dated([" "] * room, ticks, days), "muted")))


def _day(done: float, waits: float, floor: int) -> Span:
    """Draws the part of a day's column above `floor`, in cells; amounts above 0 fill at least an eighth."""
    lower, upper = (max(0, min(8, ceil(figure * 8) - floor * 8)) for figure in (done, done + waits))
    if not upper:
        return Span(" " if floor else _NONE, "muted")
    return Span(_LEVELS[lower], "info") if lower or not waits else Span("▒", "warn")
