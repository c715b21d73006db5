"""Gives panes of lines a search: each match is marked, `n` and `N` go on."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual.message import Message

from tui.present.found_text import SoughtText, tally
from tui.present.spans import Line, Span
from tui.widgets.painted import Painted


class LinePlace(NamedTuple):
    """A line of a note, counted from 1; 0 is the note as a whole. `text`: the line as shown, which may be past."""

    path: str
    line: int
    text: str = ""


class SearchablePane(Painted):
    """A pane of `count` lines, with the index of the one under its cursor; a subclass says what each line reads."""

    MOST_LOOKED_AT: ClassVar[int] = 200_000
    """Lines that are looked through at once; a subclass whose lines are dear to make says fewer."""

    cursor: int = 0
    wanted: SoughtText | None = None
    _hits: tuple[int, ...] | None = None
    _visited: int | None = None

    @property
    def count(self) -> int:
        raise NotImplementedError

    def text_at(self, index: int) -> str:
        """A line as it is shown, to be found and copied."""
        raise NotImplementedError

    def lacks_row(self) -> str:
        return "" if self.count else "there is nothing here to open"

    def text_to_copy(self) -> str:
        """Gives the text that `y` copies: the line under the cursor."""
        return self.text_at(self.at).strip() if self.count else ""

    def whole_text(self) -> str:
        """Gives the text that `Y` copies: all that the pane says."""
        return "\n".join(map(self.text_at, range(min(self.count, self.MOST_LOOKED_AT))))

    @property
    def at(self) -> int:
        """The index of the line one is on."""
        return self.cursor

    def go(self, index: int) -> None:
        """Puts the cursor on a line, in sight."""
        raise NotImplementedError

    # Finding

    @property
    def hits(self) -> tuple[int, ...]:
        """The lines that hold what is looked for, worked out once for the lines there are."""
        if self._hits is None:
            wanted, most = self.wanted, min(self.count, self.MOST_LOOKED_AT)
            self._hits = (
                tuple(index for index in range(most) if wanted.holds(self.text_at(index))) if wanted is not None else ()
            )
        return self._hits

    def look_for(self, wanted: SoughtText | None) -> None:
        """Marks a text wherever it stands; None ends that."""
        self.wanted, self._visited = wanted or None, None
        self.forget_hits()
        self.refresh()

    def forget_hits(self) -> None:
        """The lines became others."""
        self._hits = None
        self._show_names()

    def visit(self, start: int) -> bool:
        """Goes to the first match from a line on, round the end; whether there is one."""
        if hits := self.hits:
            self._visited = bisect_left(hits, start) % len(hits)
            self.go(hits[self._visited])
        self._show_names()
        return bool(hits)

    def tally(self) -> Line:
        """Counts the lines that hold the text, and names the one that was gone to last."""
        if self.wanted is None:
            return ()
        at = self._visited if self._visited is not None and self._visited < len(self.hits) else None
        return tally(self.wanted, len(self.hits), at, min(self.count, self.MOST_LOOKED_AT), self.count)

    def action_find_next(self, by: int) -> None:
        """To the next or previous line that holds the text, round the ends."""
        hits, here = self.hits, self.at
        if hits:
            on = bisect_right(hits, here) if by > 0 else bisect_left(hits, here) - 1
            self.visit(hits[on % len(hits)])

    def action_end_find(self) -> None:
        """Takes the marks away; the cursor stays."""
        self.look_for(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("find_next", "end_find"):
            return self.wanted is not None
        return super().check_action(action, parameters)

    def marked(self, line: Line) -> Line:
        """A line with what is looked for marked."""
        return self.wanted.marked(line) if self.wanted is not None else line

    def foot(self) -> Line:
        keys = (Span("   n N", "key"), Span(" next, previous   ", "muted"), Span("esc", "key"), Span(" ends", "muted"))
        return (*self.tally(), *keys) if self.wanted is not None else super().foot()


class CursorPane(SearchablePane):
    """Such a pane with a cursor that keys and clicks move, and whose line they choose."""

    @dataclass
    class AtLine(Message):
        """A person did something at a line."""

        pane: "CursorPane"
        index: int

        @property
        def control(self) -> "CursorPane":
            return self.pane

    class Moved(AtLine):
        """The cursor came to another line, by a key or click."""

    class Chosen(AtLine):
        """`enter` or a second click on the line under the cursor."""

    def at_line(self, y: int) -> int | None:
        """The line that stands on screen line `y` of all; None below the last."""
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
