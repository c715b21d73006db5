"""A picture made of lines for the room there is: drawn once for each size, painted line by line."""

from collections.abc import Callable

from textual.strip import Strip

from tui.present.spans import Line
from tui.widgets.paint import strip
from tui.widgets.painted import Painted

Drawing = Callable[[int, int], tuple[Line, ...]]  # draws in `width` × `height` cells


class Picture(Painted):
    """Shows a drawing; it is made anew only where what it shows or its room differs."""

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self._draw: Drawing = lambda width, height: ()
        self._shows: object = None
        self._drawn_for: tuple[object, int, int] = (None, 0, 0)
        self._lines: tuple[Line, ...] = ()

    def show(self, shows: object, draw: Drawing) -> None:
        """Takes another drawing, told apart by `shows`."""
        if shows != self._shows:
            self._shows, self._draw = shows, draw
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, height = self.content_size
        if self._drawn_for != (self._shows, width, height):
            self._lines = self._draw(width, height)
            self._drawn_for = (self._shows, width, height)
        return strip(self, self._lines[y] if y < len(self._lines) else (), width)
