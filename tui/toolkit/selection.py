"""Selects text by dragging the mouse in widgets that draw their own lines. Textual marks each drawn cell for that; here
the mouse's place tells the text, so that lines cost no more, and a drag stays in its pane."""

from rich.style import Style
from textual.geometry import Offset, Region, clamp
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tui.toolkit.declared import Declared

_LIT = Style(reverse=True)  # is seen in each theme, and without colours


class Selectable(Declared, Widget):
    """A widget that highlights the selected part of its lines, and returns their text."""

    def text_offset(self, x: int, y: int) -> Offset:
        """Returns the cell of the text nearest to a cell of the screen, counted from the first line."""
        room = self.scrollable_content_region
        return Offset(
            clamp(x - room.x, 0, room.width) + self.scroll_offset.x,
            clamp(y - room.y, 0, max(0, room.height - 1)) + self.scroll_offset.y,
        )

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return "\n".join(self._selected_of(selection, y) for y in range(*self._selected_lines(selection))), "\n"

    def _selected_lines(self, selection: Selection) -> tuple[int, int]:
        count = max(self.virtual_size.height, self.scrollable_content_region.height)
        start, end = selection
        return start.y if start is not None else 0, min(count, end.y + 1 if end is not None else count)

    def _selected_of(self, selection: Selection, y: int) -> str:
        drawn = self.render_line(y - self.scroll_offset.y)
        begin, end = _cells(selection, y, drawn.cell_length)
        return drawn.crop(begin, end).text.rstrip()

    def with_selection(self, strips: list[Strip], crop: Region) -> list[Strip]:
        """Highlights the selected text in the drawn lines of a part of this widget."""
        if (selection := self.text_selection) is None:
            return strips
        room = self.scrollable_content_region.translate(-self.region.offset)
        lit = []
        for number, drawn in enumerate(strips, crop.y):
            inside = room.y <= number < room.bottom
            begin, end = _cells(selection, number - room.y + self.scroll_offset.y, room.width) if inside else (0, 0)
            left = room.x - crop.x - self.scroll_offset.x
            lit.append(_lit(drawn, max(0, begin + left), min(drawn.cell_length, end + left)))
        return lit


def _cells(selection: Selection, y: int, width: int) -> tuple[int, int]:
    """Returns the first and the last (exclusive) selected cell of a line; Textual's -1 means its end."""
    begin, end = selection.get_span(y) or (0, 0)
    return begin, width if end < 0 else end


def _lit(drawn: Strip, begin: int, end: int) -> Strip:
    if begin >= end:
        return drawn
    return Strip.join(
        [drawn.crop(0, begin), drawn.crop(begin, end).apply_style(_LIT), drawn.crop(end, drawn.cell_length)]
    )
