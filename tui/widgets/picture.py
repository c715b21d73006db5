"""Shows a picture made of lines; draws it once per size, and paints it line by line."""

from collections.abc import Callable

from textual.strip import Strip

from tui.present.spans import Line
from tui.widgets.painted import Painted
from tui.widgets.segments import strip

Drawing = Callable[[int, int], tuple[Line, ...]]  # draws in `width` × `height` cells


class Picture(Painted):
    """Shows a drawing, made again only if its content or its room changed."""

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self._draw: Drawing = lambda width, height: ()
        self._shows: object = None
        self._drawn_for: tuple[object, int, int] = (None, 0, 0)
        self._lines: tuple[Line, ...] = ()

    def show(self, shows: object, draw: Drawing) -> None:
        if shows != self._shows:
            self._shows, self._draw = shows, draw
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._drawn_for != (self._shows, width, height):
            self._lines = self._draw(width, height)
            self._drawn_for = (self._shows, width, height)
        return strip(self, self._lines[y] if y < len(self._lines) else (), width)
