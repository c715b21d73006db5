"""The keys that move a cursor over the lines of a text or of a diff."""

from textual.binding import Binding

LINE_KEYS = (
    Binding("down,j", "move(1)", "Down", show=False),
    Binding("up,k", "move(-1)", "Up", show=False),
    Binding("g,home", "move_to(0)", "First line", show=False),
    Binding("G,end", "move_to(-1)", "Last line", show=False),
    Binding("ctrl+d,pagedown", "page(1)", "Page down", show=False),
    Binding("ctrl+u,pageup", "page(-1)", "Page up", show=False),
)
