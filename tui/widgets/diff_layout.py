"""Which line of a diff stands where on screen: wrapped rows, folds and a preface, for one width."""

import re
from bisect import bisect_right
from collections.abc import Mapping

from rich.cells import cell_len

from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.workspace.text_safety import clip
from engine.workspace.values import LineSpan
from tui.viewmodels import diff as diffs
from tui.viewmodels.spans import Line, Role, Span
from tui.viewmodels.wording import safe
from tui.widgets.paint import cut, padded
from tui.widgets.wrap import wrapped, wrapped_line

# What `text_safety.visible` shows in place of hidden characters; marked so that it is not taken for text.
_TOKENS = re.compile("([\u2400-\u2426]+|⟨U\\+[0-9A-F]{4,6}⟩|⟨x[0-9A-F]{2}⟩|⇥)")

Item = int | diffs.Fold | Line
"""A row's index, a fold, or a line of the preface."""


class DiffLayout:
    """A `FileDiff` laid out in lines of `width` cells; a line is drawn when it is asked for."""

    def __init__(
        self,
        diff: FileDiff,
        preface: tuple[Line, ...],
        origins: Mapping[int, LineSpan],
        width: int,
        *,
        context: int = diffs.CONTEXT,
        opened: frozenset[int] = frozenset(),
    ) -> None:
        self.diff = diff
        self.width = width
        self._origins = origins
        self._digits = diffs.digits(diff.rows)
        rows = diffs.items(diff.rows, context, opened)
        above = [part for line in preface for part in wrapped_line(line, width - 2, diffs.LABEL)]
        self.items: tuple[Item, ...] = (*above, *(((),) if above and rows else ()), *rows)
        self.starts = [0]
        for item in self.items:
            height = len(self._pieces(diff.rows[item])) if isinstance(item, int) else 1
            self.starts.append(self.starts[-1] + height)

    @property
    def height(self) -> int:
        """Screen lines in all."""
        return self.starts[-1]

    def item_at(self, y: int) -> int:
        """The index of the item on screen line `y`."""
        return min(bisect_right(self.starts, y) - 1, max(0, len(self.items) - 1))

    def changed(self, index: int) -> bool:
        item = self.items[index] if index < len(self.items) else None
        return isinstance(item, int) and self.diff.rows[item].kind is not RowKind.SAME

    def source(self, index: int) -> LineSpan | None:
        """Where the line of an item came from, if from another file."""
        item = self.items[index] if index < len(self.items) else None
        number = self.diff.rows[item].right_no if isinstance(item, int) else None
        return self._origins.get(number) if number is not None else None

    def line(self, y: int, lead: str) -> Line:
        """Screen line `y`; `lead` is the cell that shows a cursor."""
        index = self.item_at(y)
        item = self.items[index]
        first = Span(lead, "accent")
        if isinstance(item, diffs.Fold):
            return cut((first, Span(" " * self._digits + " "), *item.line), self.width)
        if isinstance(item, int):
            return (first, *self._row(self.diff.rows[item], y - self.starts[index]))
        return (first, *item)

    def _pieces(self, row: DiffRow) -> tuple[str, ...]:
        """A row's text in lines; an origin that finds no room after the last one takes a line of its own."""
        pieces = wrapped(safe(row.text), self._text_width)
        span = self._origin(row)
        if span is None or cell_len(pieces[-1]) + cell_len(diffs.brief_origin(span)) + 2 <= self._text_width:
            return pieces
        return (*pieces, "")

    @property
    def _text_width(self) -> int:
        return max(8, self.width - self._digits - 4)

    def _origin(self, row: DiffRow) -> LineSpan | None:
        added = row.kind is RowKind.ADDED and row.right_no is not None
        return self._origins.get(row.right_no or 0) if added else None

    def _origin_words(self, row: DiffRow, room: int) -> str:
        """Where a row came from, as fully as `room` allows."""
        span = self._origin(row)
        if span is None:
            return ""
        words = next((w for w in (diffs.origin_words(span), diffs.brief_origin(span)) if cell_len(w) <= room), "")
        return words or clip(diffs.brief_origin(span), room)

    def _row(self, row: DiffRow, piece: int) -> Line:
        role = diffs.KIND_ROLES[row.kind]
        number = diffs.gutter(row, self._digits) if piece == 0 else " " * (self._digits + 3)
        pieces = self._pieces(row)
        room = self._text_width - cell_len(pieces[piece]) - 2
        origin = self._origin_words(row, room) if piece == len(pieces) - 1 else ""
        text = padded(_marked(pieces[piece], role), self._text_width - cell_len(origin), role)
        gutter, sign = Span(number[: self._digits + 1], "gutter"), Span(number[self._digits + 1 :], role)
        return (gutter, sign, *text, Span(origin, "origin"))


def _marked(text: str, role: Role) -> Line:
    """A line's text with the tokens of hidden characters set apart."""
    parts = _TOKENS.split(text)
    return tuple(Span(part, "hidden" if index % 2 else role) for index, part in enumerate(parts) if part)
