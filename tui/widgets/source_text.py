"""Shows wrapped text with line numbers, a cursor, and the origin of each line; draws only visible lines."""

from bisect import bisect_right
from itertools import accumulate
from typing import Protocol

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip

from tui.present.spans import Line, Span, plain
from tui.present.words import safe
from tui.toolkit.scroll import Scrolled
from tui.widgets.role_style import role_style
from tui.widgets.searchable_pane import CursorPane
from tui.widgets.segments import blank, padded, strip, width_of
from tui.widgets.wrap import wrapped_line

_LEAST_GAP = 3  # cells between a line's text and where it came from


class SourceLines(Protocol):
    """The lines to show, by index from 0: raw text to measure, spans and origins to draw."""

    def __len__(self) -> int: ...
    @property
    def digits(self) -> int: ...
    def raw(self, index: int) -> str: ...
    def roles(self, index: int) -> Line: ...
    def origin(self, index: int) -> str: ...


class SourceText(Scrolled, CursorPane, can_focus=True, inherit_bindings=False, scope="source"):
    """Shows `SourceLines` with a cursor line; `enter` asks for the line's origin."""

    def __init__(self, *, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._lines: SourceLines | None = None
        self._message: tuple[Line, ...] = ()
        self._starts: list[int] = [0]
        self._room = 0
        self.cursor = 0

    def show(self, lines: SourceLines, cursor: int = 0, *, top: int = 0) -> None:
        """Shows another text with the cursor and some lines above it visible, none above line `top`."""
        self._lines, self._message = lines, ()
        self.cursor = max(0, min(cursor, len(lines) - 1))
        self._lay_out()
        if self.wanted is not None:
            self.forget_hits()
        room, first = self.scrollable_content_region.height // 3, self._starts[min(top, self.cursor)]
        self.scroll_to(y=max(first, self._starts[self.cursor] - room), animate=False, force=True)

    def say(self, *message: Line) -> None:
        self._lines, self._message, self._starts, self.cursor = None, message, [0], 0
        self.virtual_size = Size(self._width, 0)
        self.refresh()

    @property
    def count(self) -> int:
        return len(self._lines) if self._lines is not None else 0

    def text_at(self, index: int) -> str:
        return plain(self._lines.roles(index)) if self._lines is not None else ""

    @property
    def _width(self) -> int:
        return max(1, self.scrollable_content_region.width)

    @property
    def _text_width(self) -> int:
        digits = self._lines.digits if self._lines is not None else 0
        return max(8, self._width - digits - 4)  # the lead, two blanks, and one before the scroll bar

    def _lay_out(self) -> None:
        if (lines := self._lines) is None:
            return
        self._room, width = self._width, self._text_width
        self._starts = [0, *accumulate(_height(lines.raw(n), width) for n in range(len(lines)))]
        self.virtual_size = Size(self._room, self._starts[-1])
        self.refresh()

    def _at(self, y: int) -> int:
        return max(0, min(bisect_right(self._starts, y) - 1, len(self._starts) - 2))

    def render_line(self, y: int) -> Strip:
        if (lines := self._lines) is None:
            return self._message_line(y)
        line = y + self.scroll_offset.y
        if line >= self._starts[-1]:
            return blank(self, self._width)
        index = self._at(line)
        under = index == self.cursor
        base = role_style(self.app.theme, "cursor" if self.has_focus else "cursor_blurred") if under else None
        return strip(self, self._drawn(lines, index, line - self._starts[index], under), self._width, base)

    def _drawn(self, lines: SourceLines, index: int, piece: int, under: bool) -> Line:
        pieces = wrapped_line(self.marked(lines.roles(index)), self._text_width, _hang(lines.raw(index)))
        number = f"{index + 1:>{lines.digits}} " if piece == 0 else " " * (lines.digits + 1)
        lead = Span(("▌" if self.has_focus else "▏") if under else " ", "accent")
        text = pieces[piece] if piece < len(pieces) else ()
        origin = lines.origin(index) if piece == len(pieces) - 1 else ""
        # The text first: an origin is named only where it hides nothing.
        if width_of(text) + cell_len(origin) + _LEAST_GAP > self._text_width:
            origin = ""
        drawn = padded(text, self._text_width - cell_len(origin))
        return (lead, Span(number, "gutter"), Span(" "), *drawn, Span(origin, "info" if under else "muted"))

    def _message_line(self, y: int) -> Strip:
        parts = [part for line in self._message for part in wrapped_line(line, self._width - 2)]
        return strip(self, (Span(" "), *parts[y]), self._width) if y < len(parts) else blank(self, self._width)

    def go(self, index: int) -> None:
        """Moves the cursor, and posts `Moved` if that changed."""
        if self._lines is None or not len(self._lines):
            return
        index = max(0, min(index, len(self._lines) - 1))
        self._into_view(index)
        if index != self.cursor:
            self.cursor = index
            self.refresh()
            self.post_message(self.Moved(self, index))

    def _into_view(self, index: int) -> None:
        top, end = self._starts[index], self._starts[index + 1]
        height = max(1, self.scrollable_content_region.height)
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)
        elif end > self.scroll_offset.y + height:
            self.scroll_to(y=min(top, end - height), animate=False)

    def action_move_to(self, index: int) -> None:
        self.go(index if index >= 0 else 1 << 60)

    def action_page(self, by: int) -> None:
        """Moves by a screen; within a line longer than the screen, scrolls."""
        if self._lines is None:
            return
        height = max(1, self.scrollable_content_region.height - 1)
        index = self._at(max(0, self._starts[self.cursor] + by * height))
        if index == self.cursor:
            self.scroll_to(y=self.scroll_offset.y + by * height, animate=False)
        else:
            self.go(index)

    def at_line(self, y: int) -> int | None:
        return self._at(y) if self._lines is not None and y < self._starts[-1] else None

    def on_resize(self) -> None:
        if self._width != self._room:
            self._lay_out()
            if self._lines is not None and len(self._lines):
                self._into_view(self.cursor)


def _height(text: str, width: int) -> int:
    """Counts the screen lines of a line; only lines that may be too wide are wrapped for it."""
    # Every line is measured before the first paint: wrapping each of them would be felt.
    if len(text) <= width and text.isascii() and text.isprintable():
        return 1
    return len(wrapped_line((Span(safe(text)),), width, _hang(text)))


def _hang(text: str) -> int:
    """Returns the indent of wrapped lines in cells: below a list item's text."""
    bare = text.lstrip(" ")
    return len(text) - len(bare) + 2 if bare[:2] in ("- ", "* ") else 0
