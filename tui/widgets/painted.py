"""What all widgets that draw their own lines share."""

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui.viewmodels.spans import Line
from tui.widgets.style import titled


class Painted(Widget):
    """Works out its background once a repaint: asked for line by line it took a third of the time (50 µs each)."""

    ground: Style = Style()
    _names: tuple[Line, Line] = ((), ())

    def name_it(self, line: Line, foot: Line = ()) -> None:
        """Titles in the upper and lower border, never read as markup; repaints only where they differ."""
        if (line, foot) == self._names:
            return
        self._names = (line, foot)
        self._show_names()

    def _show_names(self) -> None:
        line, foot = self._names[0], self.foot()
        self.border_title = titled(self.app.theme, line)
        self.border_subtitle = titled(self.app.theme, foot) if foot else None

    def foot(self) -> Line:
        """What stands in the lower border now."""
        return self._names[1]

    def on_mount(self) -> None:
        """Titles bring their own colours, so another theme means other titles."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show_names() if self._names[0] else None)

    def render_lines(self, crop: Region) -> list[Strip]:
        self.ground = Style(bgcolor=self.background_colors[1].rich_color)
        return super().render_lines(crop)
