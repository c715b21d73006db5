"""Shows lines of text wrapped to the width."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from tui.present.sought_text import SoughtText
from tui.present.spans import Line, plain
from tui.toolkit.scroll import Scrolled, take_size
from tui.widgets.role_style import role_style
from tui.widgets.searchable_pane import SearchablePane
from tui.widgets.segments import strip
from tui.widgets.wrap import wrapped_line


class TextPane(Scrolled, SearchablePane, can_focus=True, inherit_bindings=False, scope="text"):
    """Shows `Line`s, and scrolls if they do not fit."""

    @dataclass
    class Laid(Message):
        """Says that the text was wrapped for another width, so that its height may change."""

        pane: "TextPane"

        @property
        def control(self) -> "TextPane":
            return self.pane

    def __init__(self, *, ident: str | None = None, hang: int = 0, as_begun: bool = False) -> None:
        """Takes `hang`, the indent of wrapped lines in cells, from where the text begins if `as_begun`."""
        super().__init__(id=ident)
        self._hang, self._as_begun = hang, as_begun
        self._lines: tuple[Line, ...] = ()
        self._laid: tuple[Line, ...] = ()
        self._starts: tuple[int, ...] = (0,)  # the first laid line of each line, and how many there are in all
        self._width = 0
        self._found: int | None = None

    def show(self, lines: tuple[Line, ...], *, keep_place: bool = False) -> None:
        if lines == self._lines:
            return
        self._lines = lines
        self._found = None
        self._lay_out()
        if self.wanted is not None:
            self.forget_hits()
        if not keep_place:
            self.scroll_to(y=0, animate=False)

    @property
    def count(self) -> int:
        """The number of lines before wrapping."""
        return len(self._lines)

    @property
    def at(self) -> int:
        """The line found last if it is visible, else the first visible line."""
        top, last = self.scroll_offset.y, self._found
        in_sight = range(top, top + self.scrollable_content_region.height)
        return last if last is not None and self._starts[last] in in_sight else self._line_at(top)

    def text_at(self, index: int) -> str:
        return plain(self._lines[index])

    def go(self, index: int) -> None:
        """Scrolls to a line and highlights it."""
        self._found = max(0, min(index, len(self._lines) - 1)) if self._lines else None
        if self._found is not None:
            line = self._starts[self._found]
            self.scroll_to(y=max(0, line - self.scrollable_content_region.height // 3), animate=False)
        self.refresh()

    def look_for(self, wanted: SoughtText | None) -> None:
        super().look_for(wanted)
        if wanted is None:
            self._found = None

    @property
    def lines_laid_out(self) -> int:
        """The number of lines after wrapping at the present width."""
        if self._width != max(1, self.scrollable_content_region.width):
            self._lay_out()
        return len(self._laid)

    def _lay_out(self) -> None:
        self._width = max(1, self.scrollable_content_region.width)
        laid = [self._wrapped(line) for line in self._lines]
        self._laid = tuple(part for parts in laid for part in parts)
        self._starts = (0, *accumulate(map(len, laid)))
        take_size(self, Size(self._width, len(self._laid)))
        self.refresh()

    def _wrapped(self, line: Line) -> tuple[Line, ...]:
        return wrapped_line(line, self._width, self._hang + (_begins(line) if self._as_begun else 0))

    def render_line(self, y: int) -> Strip:
        laid = y + self.scroll_offset.y
        if laid >= len(self._laid):
            return strip(self, (), self._width)
        line = self._line_at(laid)
        base = role_style(self.app.theme, "cursor") if line == self._found else None
        return strip(self, self._drawn(line, laid), self._width, base)

    def _line_at(self, laid: int) -> int:
        return max(0, min(bisect_right(self._starts, laid) - 1, len(self._lines) - 1))

    def _drawn(self, line: int, laid: int) -> Line:
        """Returns a wrapped line; matches are marked before wrapping, so that no line break splits them."""
        if self.wanted is None:
            return self._laid[laid]
        return self._wrapped(self.marked(self._lines[line]))[laid - self._starts[line]]

    def action_scroll(self, by: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def action_scroll_page(self, by: int) -> None:
        self.action_scroll(by * max(1, self.scrollable_content_region.height - 1))

    def on_resize(self) -> None:
        if max(1, self.scrollable_content_region.width) != self._width:
            self._lay_out()
            self.post_message(self.Laid(self))


def _begins(line: Line) -> int:
    """Returns the cell where the text of a line begins, after its number and blanks."""
    numbered = next((at for at, span in enumerate(line, 1) if span.role == "gutter"), 0)
    text = plain(line[numbered:])
    return len(plain(line[:numbered])) + len(text) - len(text.lstrip(" "))
