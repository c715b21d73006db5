"""Draws one column of a diff: gutter, sign, wrapped text, and the origin of added lines."""

from collections.abc import Mapping

from rich.cells import cell_len

from engine.plans.diff import FileDiff, RowKind
from engine.text.safe_text import clip
from engine.workspace.values import LineSpan
from tui.present import diff as diffs
from tui.present.diff_style import RowLooks
from tui.present.glyphs import FLAGGED
from tui.present.spans import Line, Span, plain
from tui.present.words import safe
from tui.widgets.segments import padded
from tui.widgets.wrap import between, wrapped

LEAST_TEXT = 8  # cells of text beside the line numbers, however narrow the screen is


class Column:
    """Draws rows of a diff in exactly `width` cells: gutter, sign, and at least 8 cells of text."""

    def __init__(
        self,
        diff: FileDiff,
        looks: RowLooks,
        origins: Mapping[int, LineSpan],
        width: int,
        *,
        left: bool = False,
        flags: Mapping[int, str] = {},
    ) -> None:
        self._flags = flags
        self._rows, self._looks, self._origins, self._left = diff.rows, looks, origins, left
        self._digits = diffs.digits(diff.rows)
        self._room = max(LEAST_TEXT, width - self._digits - 3)
        self.width = self._room + self._digits + 3

    def height(self, index: int) -> int:
        """Counts the lines of a row without styling it; its flag takes lines of its own."""
        return self._text_height(index) + len(self._flag_lines(index))

    def _text_height(self, index: int) -> int:
        text = self._rows[index].text
        if not (text.isascii() and text.isprintable()):
            text = safe(text)
        elif len(text) <= self._room and not self._origins:
            return 1
        pieces = wrapped(text, self._room)
        return len(pieces) + (not self._fits(index, pieces[-1]))

    def _fits(self, index: int, last: str) -> bool:
        """Tells whether a row's origin fits after its last piece; True without an origin."""
        span = self._origin(index)
        return span is None or cell_len(last) + cell_len(diffs.brief_origin(span)) + 2 <= self._room

    def blank(self) -> Line:
        """Draws a line for a side without a row."""
        return (Span(" " * self.width, "gutter"),)

    def line(self, index: int, piece: int) -> Line:
        """Draws line `piece` of a row in exactly `width` cells."""
        pieces, row = self._pieces(index), self._rows[index]
        if piece >= len(pieces):
            return self._flag_line(index, piece - len(pieces))
        role = diffs.KIND_ROLES[row.kind]
        number = self._gutter(index) if piece == 0 else " " * (self._digits + 3)
        room = self._room - cell_len(plain(pieces[piece])) - 2
        origin = self._origin_words(index, room) if piece == len(pieces) - 1 else ""
        text = padded(pieces[piece], self._room - cell_len(origin), role)
        cut = self._digits + 1
        return (Span(number[:cut], "gutter"), Span(number[cut:], role), *text, Span(origin, "origin"))

    def flag(self, index: int) -> str:
        """Says why a row is flagged; empty if it is not."""
        row = self._rows[index]
        line = row.right_no if row.kind is RowKind.ADDED else -(row.left_no or 0) * (row.kind is RowKind.REMOVED)
        return self._flags.get(line or 0, "")

    def _flag_lines(self, index: int) -> tuple[str, ...]:
        words = self.flag(index)
        return tuple(wrapped(words, max(LEAST_TEXT, self._room - 2))) if words else ()

    def _flag_line(self, index: int, piece: int) -> Line:
        """Draws a line below a flagged row: the sign and the reason, since colour alone is not enough."""
        lines = self._flag_lines(index)
        if piece >= len(lines):
            return self.blank()
        sign = f"{FLAGGED.glyph} " if piece == 0 else "  "
        text = padded((Span(f"{sign}{lines[piece]}", FLAGGED.role),), self._room, FLAGGED.role)
        return (Span(" " * (self._digits + 3), "gutter"), *text)

    def _gutter(self, index: int) -> str:
        row = self._rows[index]
        number = row.left_no if self._left or row.right_no is None else row.right_no
        flagged = FLAGGED.glyph if self.flag(index) else " "
        return f"{number or '':>{self._digits}} {diffs.SIGNS[row.kind]}{flagged}"

    def _pieces(self, index: int) -> tuple[Line, ...]:
        """Returns a row's text in lines, and an empty line for an origin that does not fit after them."""
        pieces = _cut(self._looks.line(index), self._room)
        return pieces if self._fits(index, plain(pieces[-1])) else (*pieces, ())

    def _origin(self, index: int) -> LineSpan | None:
        row = self._rows[index]
        return self._origins.get(row.right_no or 0) if row.kind is RowKind.ADDED else None

    def _origin_words(self, index: int, room: int) -> str:
        """Names the source of a row as fully as `room` allows; empty without one."""
        if (span := self._origin(index)) is None:
            return ""
        words = next((w for w in (diffs.origin_words(span), diffs.brief_origin(span)) if cell_len(w) <= room), "")
        return words or clip(diffs.brief_origin(span), room)


def _cut(line: Line, width: int) -> tuple[Line, ...]:
    text = plain(line)
    texts = wrapped(text, width)
    if len(texts) == 1:
        return (line,)
    if sum(map(len, texts)) != len(text):  # a line too long to lay out whole ends in words about the rest
        role = line[-1].role
        return tuple((Span(piece, role),) for piece in texts)
    pieces: list[Line] = []
    at = 0
    for piece in texts:
        pieces.append(between(line, at, at + len(piece)))
        at += len(piece)
    return tuple(pieces)
