"""Lays out several diffs below each other as one text, each under its own heading."""

from bisect import bisect_right
from itertools import accumulate, chain
from typing import NamedTuple

from engine.workspace.values import LineSpan
from tui.present.sought_text import SoughtText
from tui.present.spans import Line, Span
from tui.widgets.diff_layout import DiffLayout
from tui.widgets.segments import cut


class Section(NamedTuple):
    """One diff of the text, laid out, and the line above it."""

    heading: Line
    layout: DiffLayout


class DiffStack:
    """Works as a `DiffLayout` of several sections with headings; rows and items are numbered through."""

    above = 0
    divider = 0

    def __init__(self, sections: tuple[Section, ...], width: int) -> None:
        self.width, self._sections = width, sections
        self._leads = [min(number, 1) + 1 for number in range(len(sections))]  # lines of each section before its diff
        layouts = [section.layout for section in sections]
        self._items = [0, *accumulate(lead + len(each.items) for lead, each in zip(self._leads, layouts, strict=True))]
        self._lines = [0, *accumulate(lead + each.height for lead, each in zip(self._leads, layouts, strict=True))]
        self._rows = [0, *accumulate(each.row_count for each in layouts)]
        self.starts = [*chain.from_iterable(map(self._starts_of, range(len(sections)))), self._lines[-1]]
        self.items = range(self._items[-1])

    def _starts_of(self, number: int) -> list[int]:
        first, lead = self._lines[number], self._leads[number]
        inside = self._sections[number].layout.starts[:-1]
        return [*range(first, first + lead), *(first + lead + start for start in inside)]

    @property
    def height(self) -> int:
        return self._lines[-1]

    @property
    def row_count(self) -> int:
        return self._rows[-1]

    @property
    def sections(self) -> tuple[range, ...]:
        """The screen lines of each section's changed rows; without any, all below its heading."""
        return tuple(map(self._telling_lines, range(len(self._leads))))

    def _telling_lines(self, number: int) -> range:
        first = self._lines[number] + self._leads[number]
        inside = self._sections[number].layout.telling_lines
        return range(first + inside.start, first + inside.stop) if inside else range(first - 1, first)

    @property
    def headings(self) -> tuple[int, ...]:
        """The item of each section's heading."""
        return tuple(self._items[number] + lead - 1 for number, lead in enumerate(self._leads))

    def heading_above(self, y: int) -> Line | None:
        """Returns the heading of the section at screen line `y`, if it is further up; else None."""
        if y < 0:
            return None
        number = max(0, min(bisect_right(self._lines, y) - 1, len(self._sections) - 1))
        return self._sections[number].heading if y >= self._lines[number] + self._leads[number] else None

    @property
    def flagged(self) -> tuple[int, ...]:
        return tuple(
            base + row
            for base, section in zip(self._rows, self._sections, strict=False)
            for row in section.layout.flagged
        )

    def item_at(self, y: int) -> int:
        return min(bisect_right(self.starts, y) - 1, max(0, len(self.items) - 1))

    def section_of(self, index: int) -> int:
        return max(0, min(bisect_right(self._items, index) - 1, len(self._sections) - 1))

    def _inside(self, index: int) -> tuple[int, int]:
        """Returns the section of an item, and its index there; negative for heading and empty line."""
        number = self.section_of(index)
        return number, index - self._items[number] - self._leads[number]

    def rows_of(self, index: int) -> tuple[int, ...]:
        number, inside = self._inside(index)
        if inside < 0:
            return ()
        return tuple(self._rows[number] + row for row in self._sections[number].layout.rows_of(inside))

    def item_of(self, row: int) -> int | None:
        number = self._section_of_row(row)
        inside = self._sections[number].layout.item_of(row - self._rows[number])
        return None if inside is None else self._items[number] + self._leads[number] + inside

    def _section_of_row(self, row: int) -> int:
        return max(0, min(bisect_right(self._rows, row) - 1, len(self._sections) - 1))

    def row_text(self, row: int) -> str:
        number = self._section_of_row(row)
        return self._sections[number].layout.row_text(row - self._rows[number])

    def fold_at(self, index: int) -> int | None:
        number, inside = self._inside(index)
        start = self._sections[number].layout.fold_at(inside) if inside >= 0 else None
        return None if start is None else self._rows[number] + start

    def words_at(self, index: int) -> str:
        """Returns the words of a line that is not a row."""
        number, inside = self._inside(index)
        return self._sections[number].layout.words_at(inside) if inside >= 0 else ""

    def changed(self, index: int) -> bool:
        number, inside = self._inside(index)
        return inside >= 0 and self._sections[number].layout.changed(inside)

    def source(self, index: int) -> LineSpan | None:
        number, inside = self._inside(index)
        return self._sections[number].layout.source(inside) if inside >= 0 else None

    def look_for(self, wanted: SoughtText | None) -> None:
        for section in self._sections:
            section.layout.look_for(wanted)

    def line(self, y: int, lead: str) -> Line:
        number = max(0, min(bisect_right(self._lines, y) - 1, len(self._sections) - 1))
        inside = y - self._lines[number] - self._leads[number]
        if inside >= 0:
            return self._sections[number].layout.line(inside, lead)
        words = self._sections[number].heading if inside == -1 else ()
        return cut((Span(lead, "accent"), *words), self.width)
