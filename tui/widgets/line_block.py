"""Shows a few lines of text in as much height as they need."""

from textual.geometry import Size
from textual.strip import Strip

from tui.present.spans import Line, Span
from tui.widgets.painted import Painted
from tui.widgets.segments import strip
from tui.widgets.wrap import wrapped_line


class LineBlock(Painted):
    """Shows `Line`s wrapped to its width; its height follows."""

    def __init__(self, *lines: Line, ident: str | None = None, hang: int = 0) -> None:
        """Takes `hang`, the indent of wrapped lines in cells."""
        super().__init__(id=ident)
        self._lines, self._hang = lines, hang

    def show(self, *lines: Line) -> None:
        if lines != self._lines:
            self._lines = lines
            self.refresh(layout=True)

    def _laid(self, width: int) -> tuple[Line, ...]:
        return tuple(part for line in self._lines for part in wrapped_line(line, width, self._hang))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._laid(max(1, width)))

    def render_line(self, y: int) -> Strip:
        width, height = max(1, self.content_size.width), self.content_size.height
        laid = self._laid(width)
        if y == height - 1 and len(laid) > height:
            return strip(
                self, (Span(f"… {len(laid) - height + 1} more lines; a taller terminal shows them", "warn"),), width
            )
        return strip(self, laid[y] if y < len(laid) else (), width)
