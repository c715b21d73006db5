"""Turns spans into styled segments, for all widgets."""

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.present.spans import Line, ListRow, Role, Span
from tui.widgets.painted import Painted
from tui.widgets.role_style import span_style, steady

ELLIPSIS = "…"


def segments(widget: Painted, line: Line, base: Style | None = None) -> list[Segment]:
    """Returns a line's segments, as few as possible; `base`, a cursor's background, covers those of the roles."""
    theme, under = widget.app.theme, widget.ground
    reverses = base is not None and bool(base.reverse)
    drawn: list[Segment] = []
    for raw, role, over in line:
        text = steady(raw)
        style = span_style(theme, under, role, over, base)
        if reverses and _is_drawn(text):
            own = span_style(theme, under, role, over, None)
            # Blocks in the colour of letters stay reversed: that colour is the ground of the row.
            style = style if own.color is None or own.color.is_default else own
        if drawn and drawn[-1].style == style:
            drawn[-1] = Segment(drawn[-1].text + text, style)
        elif text:
            drawn.append(Segment(text, style))
    return drawn


def _is_drawn(text: str) -> bool:
    """Tells whether a text consists of blocks, as in bars and curves, which reversed would leave a hole. The thin ends
    of a bar are excluded, since their own background would be the hole."""
    return bool(text) and all("▀" <= char <= "▟" and char not in "▏▕" for char in text)


def width_of(line: Line) -> int:
    return sum(cell_len(span.text) for span in line)


def cut(line: Line, width: int) -> Line:
    """Shortens a line to `width` cells, with an ellipsis if anything is omitted."""
    line = _trimmed(line, width_of(line) - width)
    if width_of(line) <= width:
        return line
    kept: list[Span] = []
    room = width - 1
    for span in line:
        size = cell_len(span.text)
        if size >= room:
            kept.append(span._replace(text=set_cell_size(span.text, max(room, 0))))
            break
        kept.append(span)
        room -= size
    return (*kept, Span(ELLIPSIS, "muted")) if width > 0 else ()


def _trimmed(line: Line, over: int) -> Line:
    """Removes up to `over` blanks from the end of a line."""
    kept = list(line)
    while over > 0 and kept:
        text = kept[-1].text
        if not (blanks := min(over, len(text) - len(text.rstrip(" ")))):
            break
        kept[-1] = kept[-1]._replace(text=text[: len(text) - blanks])
        over -= blanks
        if not kept[-1].text:
            kept.pop()
    return tuple(kept)


def padded(line: Line, width: int, role: Role = "text") -> Line:
    """Returns a line in exactly `width` cells; added blanks have `role`."""
    line = cut(line, width)
    return (*line, Span(" " * (width - width_of(line)), role))


def fitted(row: ListRow, width: int) -> Line:
    """Returns a row in exactly `width` cells: its right part whole if there is room, its left part cut."""
    right = row.right if width_of(row.right) + 8 <= width else ()
    taken = width_of(right) + (1 if right else 0)
    gap = (Span(" "),) if right else ()
    room = max(0, width - taken)
    left = (*row.left, *row.extra) if width_of(row.left) + width_of(row.extra) + len(gap) <= room else row.left
    return (*padded(left, room), *gap, *right)


def strip(widget: Painted, line: Line, width: int, base: Style | None = None) -> Strip:
    """Returns a line as a strip of exactly `width` cells."""
    drawn = Strip(segments(widget, line, base))
    return drawn.adjust_cell_length(width, widget.ground + base if base else widget.ground)


def blank(widget: Painted, width: int) -> Strip:
    return Strip.blank(width, widget.ground)
