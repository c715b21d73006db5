"""Lets growing lists and texts change size without a layout, and keeps their scroll bar still."""

from math import ceil

from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from tui.toolkit.compatibility import own_painting

_EIGHTHS = 8  # a scroll bar's thumb begins and ends on eighths of a cell


class Bar(ScrollBar):
    """A scroll bar that paints only when its thumb moves; one line of 10,000 does not move it."""

    position: Reactive[float] = Reactive(0, repaint=False)

    def watch_position(self, before: float, now: float) -> None:
        if self.grabbed is not None or self._thumb(before) != self._thumb(now):
            self.refresh()

    def _thumb(self, position: float) -> int:
        return thumb(self.size.height, self.window_size, ceil(self.window_virtual_size), position)


def thumb(size: int, window: int, whole: int, position: float) -> int:
    """Returns where the thumb of a bar of `size` cells begins, in eighths of a cell; its length is constant."""
    if whole <= window or not size:
        return 0
    return int((size - max(1, window * size / whole)) * position / (whole - window) * _EIGHTHS)


class Scrolled(ScrollView):
    """A view of lines; its scroll bar's column stays free if it wraps, so that lines break alike without the bar."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if not own_painting():
            return super().vertical_scrollbar
        # Made when it is first asked for, as Textual makes its own.
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = Bar(name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Moves a bar that appears to the view's position; Textual moves only visible bars."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def on_resize(self) -> None:
        """Shows or hides the bar after a resize; Textual does so only if the contents change."""
        if own_painting():
            self._refresh_scrollbars()


def take_size(view: ScrollView, size: Size) -> None:
    """Sets the size of a view's contents, without a layout of the screen (some 20 ms) unless anything could move."""
    own = view.styles.height
    follows = own is None or own.is_auto
    overflows = size.height > view.container_size.height
    if follows or overflows != view.show_vertical_scrollbar or not own_painting():
        view.virtual_size = size
    elif size != view.virtual_size:
        # Without the watchers, which would have the whole screen laid out.
        view.set_reactive(Widget.virtual_size, size)
        view._scroll_update(size)
