"""In the terminal's own colours, too, the cursor of a field is seen, and a dialog stands out of the page behind."""

import pytest
from rich.style import Style
from textual.geometry import Offset
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tests.gallery.scenes import SCENES
from tests.gallery.stage import Played, app_of, played, strips
from tests.tui.contrast import contrast
from tui.widgets import themes

BY_NAME = {scene.name: scene for scene in SCENES}
SIZE = (80, 24)


def style_at(app: Played, place: Offset) -> Style:
    (segment,) = strips(app)[place.y].crop(place.x, place.x + 1)
    assert segment.style is not None
    return segment.style


@pytest.mark.parametrize("theme", themes.names())
@pytest.mark.parametrize("name", ["reject", "entry"])
async def test_the_cursor_of_a_field_is_seen(name: str, theme: str) -> None:
    """It was black in the terminal's own colours, as the ground of most terminals is."""
    async with played(BY_NAME[name], SIZE, theme) as pilot:
        app = app_of(pilot)
        field = app.focused
        assert isinstance(field, Input | TextArea)
        field._pause_blink(visible=True)
        await pilot.pause()
        first = field.content_region.offset  # the cursor stands on the first letter
        style = style_at(app, first)
        assert style.color is not None and style.bgcolor is not None
        if themes.theme(theme).ansi:
            assert style.reverse and style.color.is_default and style.bgcolor.is_default
        else:
            beside = style_at(app, Offset(field.content_region.right - 1, first.y))
            assert beside.bgcolor is not None and contrast(style.bgcolor, beside.bgcolor) >= 3.0


@pytest.mark.parametrize(("name", "dim"), [("keys", True), ("jump", True), ("beside", True), ("find", False)])
async def test_the_page_behind_a_dialog_is_faint_but_where_it_is_to_be_read(name: str, dim: bool) -> None:
    """It was as bright as the dialog, with a row and a border as if they had the focus."""
    async with played(BY_NAME[name], (120, 36), "terminal") as pilot:
        header = [segment.style for segment in strips(app_of(pilot))[1] if segment.text.strip() and segment.style]
        assert header and all(bool(style.dim) is dim for style in header)
        assert not dim or not any(style.reverse for style in header)


async def test_on_a_page_to_be_read_the_hints_alone_are_faint() -> None:
    async with played(BY_NAME["confirm"], (120, 36), "terminal") as pilot:
        lines = strips(app_of(pilot))
        assert all(segment.style and segment.style.dim for segment in lines[-1] if segment.text.strip())
        assert not any(segment.style and segment.style.dim for segment in lines[0])


async def test_a_scroll_bar_behind_a_dialog_is_faint_and_whole() -> None:
    """Its reversed blanks were underlined ones, and a block that ended it stood alone."""
    async with played(BY_NAME["forget-search"], SIZE, "terminal") as pilot:
        app = app_of(pilot)
        (bar,) = [
            pane.vertical_scrollbar.region
            for pane in app.screen_stack[0].walk_children(Widget)
            if pane.show_vertical_scrollbar and pane.region
        ]
        below = [strips(app)[y].crop(bar.x, bar.x + 1) for y in range(SIZE[1] // 2, bar.bottom)]
        cells = [(segment.text, segment.style) for line in below for segment in line]
        assert {text for text, _ in cells} == {"█", " "}
        assert all(style and style.dim and not style.reverse and not style.underline for _, style in cells)
