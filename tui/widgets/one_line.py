"""Shows one line at an edge of the screen: header, hints, progress."""

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from tui.present.spans import ListRow
from tui.widgets.painted import Painted
from tui.widgets.segments import fitted, strip, width_of


class OneLine(Painted):
    """One line with a left and a right part; a click says which cell was hit."""

    @dataclass
    class Hit(Message):
        """Says that cell `column` of the line was clicked."""

        line: "OneLine"
        column: int

        @property
        def control(self) -> "OneLine":
            return self.line

    class Sized(Message):
        """Says that the width changed."""

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self.row = ListRow(())

    def show(self, row: ListRow) -> None:
        if row != self.row:
            self.row = row
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        return strip(self, fitted(self.row, width), width)

    def on_resize(self) -> None:
        self.post_message(self.Sized())

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and offset.x < width_of(self.row.left):
            self.post_message(self.Hit(self, offset.x))
