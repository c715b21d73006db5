"""Defines the base classes of widgets with titles in their borders and of those that draw their lines."""

from rich.cells import cell_len
from rich.style import Style
from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui.present.spans import Line, plain
from tui.present.words import shortened
from tui.toolkit.selection import Selectable
from tui.widgets.role_style import titled

_CORNERS = 6  # cells of a border's corners, and what stands between them and a title
_LEAST_NAME = 8  # letters that stay of a name, however little room there is


def named_within(line: Line, width: int) -> Line:
    """Shortens a title to `width` cells: first muted words at its end, then its longest path."""
    over = cell_len(plain(line)) - width
    if over > 0 < width and line[-1].role == "muted" and line[-1].text.startswith("  "):
        return named_within(line[:-1], width)
    names = [span for span in line if span.role == "title" and "/" in span.text]
    if over <= 0 or width <= 0 or not names:
        return line
    longest = max(names, key=lambda span: len(span.text))
    short = _short(longest.text.rstrip(), cell_len(longest.text) - over)
    return tuple(span._replace(text=short) if span is longest else span for span in line)


def foot_within(line: Line, width: int) -> Line:
    """Shortens a lower border to `width` cells: omits muted words at its end, then parts from the left without keys."""
    dots = [at for at, span in enumerate(line) if span.text == " · "]
    if cell_len(plain(line)) <= width or width <= 0:
        return line
    if line[-1].role == "muted" and line[-1].text.startswith("  "):
        return foot_within(line[:-1], width)
    if not dots or line[0].role == "key":
        return line
    return foot_within(line[dots[0] + 1 :], width)


def _short(name: str, cells: int) -> str:
    """Shortens a name to `cells`; letters of two cells count twice."""
    for letters in range(min(len(name), cells), _LEAST_NAME, -1):
        short = shortened(name, letters)
        if cell_len(short) <= cells:
            return short
    return shortened(name, _LEAST_NAME)


class Titled(Widget):
    """A widget with titles in its border, in the theme's colours."""

    _names: tuple[Line, Line] = ((), ())

    def name_it(self, line: Line, foot: Line = ()) -> None:
        """Sets the upper and lower title, never read as markup; repaints only changes."""
        if (line, foot) == self._names:
            return
        self._names = (line, foot)
        self._show_names()

    def _show_names(self) -> None:
        self.border_title, self.border_subtitle = (titled(self.app.theme, line) for line in self._names)

    def on_mount(self) -> None:
        """Repaints the titles after a change of theme, since they have colours of their own."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show_names() if self._names[0] else None)


class Frame(Vertical, Titled):
    """A border around other widgets."""


class Painted(Selectable, Titled):
    """Computes its background once per repaint: once per line took a third of the time (50 µs each)."""

    ground: Style = Style()
    _named_for = 0  # the width for which the names in the border were made

    def _show_names(self) -> None:
        line, foot = self._names[0], self.foot()
        self._named_for = self.outer_size.width
        self.border_title = titled(self.app.theme, named_within(line, self._named_for - _CORNERS))
        self.border_subtitle = titled(self.app.theme, foot_within(foot, self._named_for - _CORNERS)) if foot else None

    def on_resize(self) -> None:
        """Shortens or restores the title to fit the width."""
        if self._names[0] and self._named_for != self.outer_size.width:
            self._show_names()

    def foot(self) -> Line:
        return self._names[1]

    def render_lines(self, crop: Region) -> list[Strip]:
        self.ground = Style(bgcolor=self.background_colors[1].rich_color)
        return self.with_selection(super().render_lines(crop), crop)
