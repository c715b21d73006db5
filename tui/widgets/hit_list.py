"""A list in which every entry takes two lines: what it is, and what of it was found."""

from textual.strip import Strip

from tui.present.spans import Rows, Span
from tui.widgets.line_list import LineList
from tui.widgets.paint import fitted, strip

TALL = 2  # lines of each hit: its name and score, and the place that answers


class HitList(LineList):
    """A `LineList` whose rows belong together by twos; its cursor stands on the first of them."""

    @property
    def entry(self) -> int:
        """The entry under the cursor, counted from 0."""
        return self.cursor // TALL

    def show(self, rows: Rows, cursor: int | None = None) -> None:
        super().show(rows, cursor)
        self.cursor -= self.cursor % TALL
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        if index >= self.count or index != self.cursor + 1:
            return super().render_line(y)
        width, row = self.scrollable_content_region.width, self._rows.row(index)
        lead = Span("▌" if self.has_focus or self.lit else "▏", "accent")
        return strip(self, fitted(row._replace(left=(lead, *row.left)), self.room + 1), width, self._cursor_style())

    def go(self, index: int) -> None:
        index = max(0, min(index, self.count - 1))
        before = self.cursor
        super().go(index - index % TALL)
        if before != self.cursor:
            self.refresh_line(before + 1)
            self.refresh_line(self.cursor + 1)

    def _into_view(self) -> None:
        super()._into_view()
        height = max(TALL, self.scrollable_content_region.height)
        if self.cursor + TALL > self.scroll_offset.y + height:
            self.scroll_to(y=self.cursor + TALL - height, animate=False)

    def action_move(self, by: int) -> None:
        self.go(self.cursor + TALL * by)

    def at_line(self, y: int) -> int | None:
        return y - y % TALL if y < self.count else None
