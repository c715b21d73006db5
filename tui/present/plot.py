"""Draws lines of dots on a grid, as braille, half blocks or ASCII, depending on the terminal."""

from collections.abc import Iterable, Sequence
from datetime import date
from enum import StrEnum
from itertools import pairwise
from math import ceil, floor

from tui.present.spans import Line, Role, Span


class DotStyle(StrEnum):
    """The characters that a plot is drawn with."""

    BRAILLE = "braille"
    BLOCKS = "blocks"
    ASCII = "ascii"


_DOTS: dict[DotStyle, tuple[int, int]] = {DotStyle.BRAILLE: (2, 4), DotStyle.BLOCKS: (1, 2), DotStyle.ASCII: (1, 1)}
"""Dots of a cell, across and down."""
_BRAILLE_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille cell by row and column; Unicode numbers the fourth row last."""
_BLOCKS = " ▀▄█"
_ASCII_SIGNS: dict[str, str] = {"┄": "-", "│": "|"}


class Plot:
    """A grid of cells with dots. The latest layer colours a cell, and signs show only in cells without dots."""

    def __init__(self, width: int, height: int, style: DotStyle) -> None:
        self.width, self.height, self.style = max(1, width), max(1, height), style
        self.across, self.down = _DOTS[style]
        self._dots: dict[tuple[int, int], tuple[int, Role]] = {}
        self._signs: dict[tuple[int, int], Span] = {}

    @property
    def columns(self) -> int:
        """The number of dots across."""
        return self.width * self.across

    @property
    def rows(self) -> int:
        """The number of dots down."""
        return self.height * self.down

    def dot(self, column: int, row: int, role: Role) -> None:
        """Sets a dot, counted from the upper left; ignores a dot outside the grid."""
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return
        (x, across), (y, down) = divmod(column, self.across), divmod(row, self.down)
        bit = _BRAILLE_BITS[down][across] if self.style is DotStyle.BRAILLE else 1 << down
        # Dots of all layers stay; a cell has one colour, and the layer drawn last is the one looked for.
        self._dots[x, y] = (self._dots.get((x, y), (0, role))[0] | bit, role)

    def path(self, points: Sequence[tuple[float, float]], role: Role) -> None:
        """Draws an unbroken line; rounds halves up, since `round` takes 0.5 to 0 and 1.5 to 2, a gap."""
        for (x0, y0), (x1, y1) in pairwise(points):
            steps = max(1, ceil(max(abs(x1 - x0), abs(y1 - y0))))
            for step in range(steps + 1):
                x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
                self.dot(floor(x + 0.5), floor(y + 0.5), role)

    def area(self, upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]], role: Role) -> None:
        """Fills the area between two lines over the same columns with a loose pattern of dots."""
        for (x0, top0), (x1, top1), (_, low0), (_, low1) in _stretches(upper, lower):
            for x in range(round(x0), round(x1) + 1):
                share = (x - x0) / (x1 - x0) if x1 > x0 else 0.0
                first, last = top0 + (top1 - top0) * share, low0 + (low1 - low0) * share
                for y in range(max(0, round(first)), min(self.rows - 1, round(last)) + 1):
                    if self._in_pattern(x, y):
                        self.dot(x, y, role)

    def _in_pattern(self, x: int, y: int) -> bool:
        return (x % 4, y % 4) in ((0, 0), (2, 2)) if self.style is DotStyle.BRAILLE else (x + y) % 3 == 0

    def rule(self, row: int, role: Role) -> None:
        """Draws a dashed horizontal line through cells without dots."""
        if 0 <= row < self.height:
            for column in range(self.width):
                self._signs.setdefault((column, row), Span("┄", role))

    def post(self, column: int, role: Role) -> None:
        """Draws a vertical line through cells without dots."""
        if 0 <= column < self.width:
            for row in range(self.height):
                self._signs.setdefault((column, row), Span("│", role))

    def lines(self) -> tuple[Line, ...]:
        """Returns the rows of the grid from the top, each `width` cells wide."""
        return tuple(merged(self._cell(column, row) for column in range(self.width)) for row in range(self.height))

    def _cell(self, column: int, row: int) -> Span:
        # Dots before rules: a figure is worth more than the line behind it.
        if (dots := self._dots.get((column, row))) is not None:
            return Span(self._sign(dots[0]), dots[1])
        sign = self._signs.get((column, row), Span(" "))
        return sign._replace(text=_ASCII_SIGNS.get(sign.text, sign.text)) if self.style is DotStyle.ASCII else sign

    def _sign(self, bits: int) -> str:
        match self.style:
            case DotStyle.BRAILLE:
                # Unicode has the 256 braille signs in the order of their bits.
                return chr(0x2800 + bits)
            case DotStyle.BLOCKS:
                return _BLOCKS[bits]
            case DotStyle.ASCII:
                return "*"


def _stretches(
    upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]
) -> Iterable[tuple[tuple[float, float], ...]]:
    """Yields four corners for each stretch between two lines: two of the upper, then two of the lower."""
    return ((*above, *below) for above, below in zip(pairwise(upper), pairwise(lower), strict=True))


def merged(cells: Iterable[Span]) -> Line:
    """Joins neighbouring cells of one role into one span."""
    runs: list[Span] = []
    for cell in cells:
        if runs and runs[-1].role == cell.role and runs[-1].over == cell.over:
            runs[-1] = runs[-1]._replace(text=runs[-1].text + cell.text)
        else:
            runs.append(cell)
    return tuple(runs)


LEAST_TICK = 10  # cells that a date takes on the lower axis, with what keeps it from the next


def dated(cells: list[str], ticks: Sequence[date], days: int) -> str:
    """Writes the time axis of `days`: each tick's date from left to right, where `cells` are blank."""
    width = len(cells)
    for number, at in enumerate(ticks):
        label = f"{at.day} {at:%b}" if days < 365 else f"{at:%b %Y}"
        place = min(int(number / (len(ticks) - 1) * (width - 1)), width - len(label))
        if place >= 0 and not "".join(cells[max(0, place - 1) : place + len(label) + 1]).strip():
            cells[place : place + len(label)] = label
    return "".join(cells[:width])
