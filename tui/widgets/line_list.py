"""Shows a list of lines with a cursor. Rows are made when they come into view, so that 100,000 cost nothing."""

from collections.abc import Sequence
from typing import TypeVar

from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from tui.present.spans import Line, ListRow, ListRows, Rows, Span, plain
from tui.toolkit.scroll import Scrolled, take_size
from tui.widgets.role_style import role_style
from tui.widgets.searchable_pane import CursorPane
from tui.widgets.segments import blank, fitted, strip
from tui.widgets.wrap import wrapped_line

Item = TypeVar("Item")

_PAINTED_KEPT = 1000  # rows that are kept as they were painted: more than a screen has


class LineList(Scrolled, CursorPane, can_focus=True, inherit_bindings=False, scope="list"):
    """Shows `Rows`, one on each line; the cursor keeps its index when the rows change."""

    MOST_LOOKED_AT = 20_000

    def __init__(self, *, ident: str | None = None, empty: str = "") -> None:
        super().__init__(id=ident)
        self._rows: Rows = ListRows()
        self._empty: tuple[Line, ...] = self.spoken(empty)
        self._painted: dict[int, ListRow] = {}  # the rows as they were last painted, by index
        self.cursor = 0
        self.lit = False  # true if the cursor looks as if the list had the focus, while keys go to a field above it

    @staticmethod
    def spoken(text: str) -> tuple[Line, ...]:
        """Returns the text of a list without rows as lines."""
        return tuple((Span(part, "muted"),) for part in text.split("\n"))

    @property
    def count(self) -> int:
        return len(self._rows)

    def under(self, items: Sequence[Item]) -> Item | None:
        """Returns the item under the cursor, if the list shows `items`; None without one."""
        return items[self.cursor] if self.cursor < len(items) else None

    @property
    def rows_wanted(self) -> int:
        """The number of lines of all rows, or of the text without rows."""
        return len(self._rows) or len(self._empty)

    @property
    def room(self) -> int:
        """The cells of a row beside the cursor's; the last stays free, so that nothing touches the edge."""
        return self.scrollable_content_region.width - 2

    def text_at(self, index: int) -> str:
        """Returns the words of a row, to be searched and copied."""
        row = self._rows.row(index)
        return "  ".join(filter(None, (plain(row.left).rstrip(), plain(row.extra).strip(), plain(row.right).strip())))

    def show(self, rows: Rows, cursor: int | None = None) -> None:
        """Shows other rows; the cursor stays, or goes to `cursor`. Posts no message."""
        before, count = self.cursor, len(self._rows)
        self._rows = rows
        # Fewer rows than before: the last one, never none while there is any.
        self.cursor = max(0, min(self.cursor if cursor is None else cursor, len(rows) - 1))
        if self.wanted is not None:
            self.forget_hits()
        # Only where it differs: a size is a layout of the screen.
        if count != len(rows):
            take_size(self, Size(self.scrollable_content_region.width, len(rows)))
            if len(rows) < count or count < self.scroll_offset.y + self.size.height:
                self.refresh()
        if bool(count) != bool(len(rows)):  # `enter` opens something now, or nothing any more
            self.refresh_bindings()
        self._into_view()
        self._repaint(before)

    def _repaint(self, before: int) -> None:
        top = self.scroll_offset.y
        for index in range(top, min(top + self.scrollable_content_region.height, len(self._rows))):
            moved = before != self.cursor and index in (before, self.cursor)
            # Rows are compared, not painted: most looks change none of those in view.
            if moved or self._painted.get(index) != self._rows.row(index):
                self.refresh_line(index)

    def show_empty(self, text: str, role_lines: tuple[Line, ...] | None = None) -> None:
        self._empty = role_lines if role_lines is not None else self.spoken(text)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if index >= len(self._rows):
            return self._blank(y, width)
        room = self.room + 1
        row = self._rows.row(index)
        if len(self._painted) > _PAINTED_KEPT:
            self._painted.clear()
        self._painted[index] = row
        if self.wanted is not None:
            row = ListRow(*map(self.marked, row))
        if index != self.cursor:
            return strip(self, fitted(row._replace(left=(Span(" "), *row.left)), room), width)
        base = self._cursor_style()
        lead = Span("▌" if self._lit else "▏", "accent")
        return strip(self, fitted(row._replace(left=(lead, *row.left)), room), width, base)

    def _cursor_style(self) -> Style:
        return role_style(self.app.theme, "cursor" if self._lit else "cursor_blurred")

    @property
    def _lit(self) -> bool:
        """Tells whether the cursor is shown as active: focused, or during a search."""
        return self.has_focus or self.lit or self.wanted is not None

    def _blank(self, y: int, width: int) -> Strip:
        if len(self._rows):
            return blank(self, width)
        said = [part for line in self._empty for part in wrapped_line(line, width - 2)]
        return strip(self, (Span(" "), *said[y]), width) if y < len(said) else blank(self, width)

    def go(self, index: int) -> None:
        """Moves the cursor, and posts `Moved` if that changed."""
        index = max(0, min(index, len(self._rows) - 1))
        if index == self.cursor or not len(self._rows):
            return
        before, self.cursor = self.cursor, index
        self.refresh_line(before)
        self.refresh_line(index)
        self._into_view()
        self.post_message(self.Moved(self, index))

    def _into_view(self) -> None:
        """Scrolls to the cursor; before the first layout does nothing, and `on_resize` scrolls later."""
        height = self.scrollable_content_region.height
        if height < 1:
            return
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    def action_move_to(self, index: int) -> None:
        self.go(index if index >= 0 else len(self._rows) - 1)

    def action_page(self, by: int) -> None:
        self.go(self.cursor + by * max(1, self.scrollable_content_region.height - 1))

    def at_line(self, y: int) -> int | None:
        return y if y < len(self._rows) else None

    def on_resize(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))
        self._into_view()
