"""Lays out a diff for one width: rows, folds and a preface, unified or side by side."""

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate

from engine.plans.diff import FileDiff, RowKind
from engine.workspace.values import LineSpan
from tui.present import diff as diffs
from tui.present.diff_style import RowLooks
from tui.present.sought_text import SoughtText
from tui.present.spans import Line, Span, plain
from tui.widgets.diff_column import Column
from tui.widgets.segments import cut
from tui.widgets.wrap import wrapped_line

Item = int | diffs.Fold | diffs.SplitRow | Line
"""A row's index, a fold, two rows side by side, or a line of the preface."""
_DIVIDER = "│ "  # between two columns: numbers of the right one never touch the rule


class DiffLayout:
    """A `FileDiff` in lines of `width` cells, removed lines above those that replace them; drawn on demand."""

    def __init__(
        self,
        diff: FileDiff,
        preface: tuple[Line, ...],
        origins: Mapping[int, LineSpan],
        width: int,
        *,
        looks: RowLooks | None = None,
        context: int = diffs.CONTEXT,
        opened: frozenset[int] = frozenset(),
        flags: Mapping[int, str] = {},
        frontmatter: int = 0,
    ) -> None:
        self.diff, self.width, self._origins, self._flags = diff, width, origins, flags
        self.looks = looks or RowLooks(diff.rows)
        self._columns = self._made_columns()
        rows = self._arranged(diffs.items(diff.rows, context, opened, frontmatter))
        above = [part for line in preface for part in wrapped_line(line, width - 2, diffs.LABEL)]
        self.items: tuple[Item, ...] = (*above, *(((),) if above and rows else ()), *rows)
        self.above = len(self.items) - len(rows)  # lines of the preface, which come before the first row
        self.starts = [0, *accumulate(map(self._height, self.items))]

    def _made_columns(self) -> tuple[Column, ...]:
        return (Column(self.diff, self.looks, self._origins, self.width - 1, flags=self._flags),)

    def _arranged(self, items: tuple[int | diffs.Fold, ...]) -> tuple[Item, ...]:
        return items

    def _height(self, item: Item) -> int:
        return self._columns[0].height(item) if isinstance(item, int) else 1

    @property
    def height(self) -> int:
        return self.starts[-1]

    @property
    def divider(self) -> int:
        """The cell of the rule between two columns; 0 for one column."""
        return 0

    @cached_property
    def flagged(self) -> tuple[int, ...]:
        last = self._columns[-1]
        return tuple(index for index in range(len(self.diff.rows)) if last.flag(index)) if self._flags else ()

    def item_at(self, y: int) -> int:
        """Returns the index of the item on screen line `y`."""
        return min(bisect_right(self.starts, y) - 1, max(0, len(self.items) - 1))

    @property
    def row_count(self) -> int:
        return len(self.diff.rows)

    def row_text(self, row: int) -> str:
        return self.diff.rows[row].text

    def fold_at(self, index: int) -> int | None:
        """Returns the first row that a fold hides; None if the item is no fold."""
        item = self.items[index]
        return item.start if isinstance(item, diffs.Fold) else None

    def words_at(self, index: int) -> str:
        """Returns the words of a line of the preface; empty for other items."""
        item = self.items[index]
        return plain(item) if isinstance(item, tuple) and not isinstance(item, diffs.Fold | diffs.SplitRow) else ""

    @property
    def sections(self) -> tuple[range, ...]:
        """The screen lines with the changes of each part of the text."""
        return (self.telling_lines,)

    @cached_property
    def telling_lines(self) -> range:
        """The screen lines from the first to the last changed row, folded or not; all if none changed."""
        ends = (range(len(self.items)), range(len(self.items) - 1, -1, -1))
        first, last = (next((at for at in order if self._tells(at)), None) for order in ends)
        # A rename or an empty change has no changed row: it is seen once all of it was (decision G22).
        if first is None or last is None:
            return range(self.height)
        return range(self.starts[first], self.starts[last + 1])

    def _tells(self, index: int) -> bool:
        item = self.items[index]
        return bool(item.words) if isinstance(item, diffs.Fold) else self.changed(index)

    def section_of(self, index: int) -> int:
        """Returns the index of the part that contains an item."""
        return 0

    def look_for(self, wanted: SoughtText | None) -> None:
        """Marks a text everywhere; None removes the marks."""
        self.looks.wanted = wanted

    def rows_of(self, index: int) -> tuple[int, ...]:
        """Returns the rows that an item shows, the newer side last."""
        match self.items[index] if 0 <= index < len(self.items) else ():
            case int(row):
                return (row,)
            case diffs.SplitRow(left, right):
                # The newer side last: it is the one that comments, flags and origins are about.
                return tuple(row for row in (left, right) if row is not None)
            case _:
                return ()

    def item_of(self, row: int) -> int | None:
        """Returns the item that shows a row; None if a fold hides it."""
        return self._places.get(row)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {row: index for index in range(len(self.items)) for row in self.rows_of(index)}

    def changed(self, index: int) -> bool:
        return any(self.diff.rows[row].kind is not RowKind.SAME for row in self.rows_of(index))

    def source(self, index: int) -> LineSpan | None:
        """Returns the source of an item's line in another file; None without one."""
        numbers = [self.diff.rows[row].right_no for row in self.rows_of(index)]
        return next(
            (self._origins[number] for number in numbers if number is not None and number in self._origins), None
        )

    def line(self, y: int, lead: str) -> Line:
        """Draws screen line `y` in at most the layout's width; `lead` is the cell for a cursor."""
        index = self.item_at(y)
        return cut((Span(lead, "accent"), *self._drawn(self.items[index], y - self.starts[index])), self.width)

    def _drawn(self, item: Item, piece: int) -> Line:
        if isinstance(item, diffs.Fold):
            return (Span(" " * (diffs.digits(self.diff.rows) + 1)), *item.line)
        if isinstance(item, int):
            return self._columns[0].line(item, piece)
        return self.looks.marked(item) if not isinstance(item, diffs.SplitRow) else ()


class SplitLayout(DiffLayout):
    """Shows the old side at the left and the new one at the right, replaced lines side by side."""

    LEAST = 48  # cells below which two columns show too little of a line to be read

    def _made_columns(self) -> tuple[Column, ...]:
        # As wide as one another, so that what is equal is broken at the same places; an odd cell stays free.
        half = (self.width - 1 - len(_DIVIDER)) // 2
        return (
            Column(self.diff, self.looks, {}, half, left=True, flags=self._flags),
            Column(self.diff, self.looks, self._origins, half, flags=self._flags),
        )

    @property
    def divider(self) -> int:
        return 1 + self._columns[0].width

    def _arranged(self, items: tuple[int | diffs.Fold, ...]) -> tuple[Item, ...]:
        arranged: list[Item] = []
        taken: set[int] = set()
        rows = self.diff.rows
        for item in items:
            if isinstance(item, diffs.Fold):
                arranged.append(item)
            elif rows[item].kind is RowKind.SAME:
                arranged.append(diffs.SplitRow(item, item))
            elif rows[item].kind is RowKind.REMOVED:
                other = self.looks.partner(item)
                arranged.append(diffs.SplitRow(item, other))
                taken |= {other} if other is not None else set()
            elif item not in taken:
                arranged.append(diffs.SplitRow(None, item))
        return tuple(arranged)

    def _height(self, item: Item) -> int:
        if not isinstance(item, diffs.SplitRow):
            return 1
        return max(column.height(row) for column, row in zip(self._columns, item, strict=True) if row is not None)

    def _drawn(self, item: Item, piece: int) -> Line:
        if not isinstance(item, diffs.SplitRow):
            return super()._drawn(item, piece)
        left, right = (
            column.line(row, piece) if row is not None else column.blank()
            for column, row in zip(self._columns, item, strict=True)
        )
        return (*left, Span(_DIVIDER, "rule"), *right)
