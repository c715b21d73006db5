"""What lists and texts that grow share: another size of their contents without a layout of the whole screen."""

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


def take_size(view: ScrollView, size: Size) -> None:
    """Gives a view another size of its contents.

    A layout of the screen (some 20 ms) happens only where something could move: the view is as tall as its contents, or
    its scroll bar comes or goes.
    """
    own = view.styles.height
    follows = own is None or own.is_auto
    overflows = size.height > view.container_size.height
    if follows or overflows != view.show_vertical_scrollbar:
        view.virtual_size = size
    elif size != view.virtual_size:
        view.set_reactive(Widget.virtual_size, size)
        view._scroll_update(size)
