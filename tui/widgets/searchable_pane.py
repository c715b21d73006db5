"""Gives panes of lines a search: matches are marked, `n` and `N` step through them."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual.message import Message

from tui.present.sought_text import SoughtText, tally
from tui.present.spans import Line, Span
from tui.widgets.painted import Painted


class LinePlace(NamedTuple):
    """A line of a note, from 1, or 0 for the whole note; `text` is the line as shown, which may be outdated."""

    path: str
    line: int
    text: str = ""


class SearchablePane(Painted):
    """A pane of `count` lines with a cursor; subclasses return the text of each line."""

    MOST_LOOKED_AT: ClassVar[int] = 200_000
    """The most lines to search; subclasses whose lines are costly set fewer."""

    cursor: int = 0
    wanted: SoughtText | None = None
    _hits: tuple[int, ...] | None = None
    _visited: int | None = None

    @property
    def count(self) -> int:
        raise NotImplementedError

    def text_at(self, index: int) -> str:
        """Returns a line as shown, to be searched and copied."""
        raise NotImplementedError

    def lacks_row(self) -> str:
        return "" if self.count else "there is nothing here to open"

    def text_to_copy(self) -> str:
        """Returns the text that `y` copies: the line under the cursor."""
        return self.text_at(self.at).strip() if self.count else ""

    def whole_text(self) -> str:
        """Returns the text that `Y` copies: all lines of the pane."""
        return "\n".join(map(self.text_at, range(min(self.count, self.MOST_LOOKED_AT))))

    @property
    def at(self) -> int:
        return self.cursor

    def go(self, index: int) -> None:
        """Puts the cursor on a line and scrolls to it."""
        raise NotImplementedError

    # Finding

    @property
    def hits(self) -> tuple[int, ...]:
        """The lines that match the search, computed once for the present lines."""
        if self._hits is None:
            wanted, most = self.wanted, min(self.count, self.MOST_LOOKED_AT)
            self._hits = (
                tuple(index for index in range(most) if wanted.holds(self.text_at(index))) if wanted is not None else ()
            )
        return self._hits

    def look_for(self, wanted: SoughtText | None) -> None:
        """Marks a text everywhere; None removes the marks."""
        self.wanted, self._visited = wanted or None, None
        self.forget_hits()
        self.refresh()

    def forget_hits(self) -> None:
        """Drops the matches, since the lines changed."""
        self._hits = None
        self._show_names()

    def visit(self, start: int) -> bool:
        """Goes to the first match from a line on, wrapping around; tells whether there is one."""
        if hits := self.hits:
            self._visited = bisect_left(hits, start) % len(hits)
            self.go(hits[self._visited])
        self._show_names()
        return bool(hits)

    def tally(self) -> Line:
        """Returns the number of matching lines, and which one was visited last; empty without a search."""
        if self.wanted is None:
            return ()
        at = self._visited if self._visited is not None and self._visited < len(self.hits) else None
        return tally(self.wanted, len(self.hits), at, min(self.count, self.MOST_LOOKED_AT), self.count)

    def action_find_next(self, by: int) -> None:
        hits, here = self.hits, self.at
        if hits:
            on = bisect_right(hits, here) if by > 0 else bisect_left(hits, here) - 1
            self.visit(hits[on % len(hits)])

    def action_end_find(self) -> None:
        self.look_for(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("find_next", "end_find"):
            return self.wanted is not None
        return super().check_action(action, parameters)

    def marked(self, line: Line) -> Line:
        return self.wanted.marked(line) if self.wanted is not None else line

    def foot(self) -> Line:
        keys = (Span("   n N", "key"), Span(" next, previous   ", "muted"), Span("esc", "key"), Span(" ends", "muted"))
        return (*self.tally(), *keys) if self.wanted is not None else super().foot()


class CursorPane(SearchablePane):
    """A searchable pane whose cursor keys and clicks move, and whose lines they choose."""

    @dataclass
    class AtLine(Message):
        """Says that a person did something at a line."""

        pane: "CursorPane"
        index: int

        @property
        def control(self) -> "CursorPane":
            return self.pane

    class Moved(AtLine):
        """Says that a key or click moved the cursor to another line."""

    class Chosen(AtLine):
        """Says that `enter` or a second click chose the line under the cursor."""

    def at_line(self, y: int) -> int | None:
        """Returns the line at screen line `y` of the whole text; None below the last."""
        raise NotImplementedError

    def action_move(self, by: int) -> None:
        self.go(self.cursor + by)

    def action_select(self) -> None:
        if self.count:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        index = self.at_line(offset.y + self.scroll_offset.y) if offset is not None else None
        if index is not None:
            if index == self.cursor and event.chain > 1:
                self.action_select()
            self.go(index)
