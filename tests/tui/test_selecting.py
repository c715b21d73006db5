"""Text that is selected with the mouse: what lights, what is copied, and what ends it."""

from textual.geometry import Region

from tests.prepared import Told
from tests.tui.conftest import Deck, console_of, deck, settled
from tests.values import tree_plan
from tui.screens.approvals.page import ApprovalsPage
from tui.widgets.diff_view import DiffView


async def diff_of(pilot: Deck) -> DiffView:
    await pilot.press("2")
    await settled(pilot)
    page = console_of(pilot).page
    assert isinstance(page, ApprovalsPage)
    return page.query_one(DiffView)


def lines_of(view: DiffView) -> list[str]:
    room = view.scrollable_content_region
    return [view.render_line(y).text.rstrip() for y in range(room.height)]


async def drag(pilot: Deck, view: DiffView, begin: tuple[int, int], end: tuple[int, int]) -> None:
    """From one cell of the text in sight to another, which may lie outside of the pane."""
    room = view.scrollable_content_region
    await pilot.mouse_down(offset=(room.x + begin[0], room.y + begin[1]))
    await pilot.hover(offset=(room.x + end[0], room.y + end[1]))
    await pilot.mouse_up(offset=(room.x + end[0], room.y + end[1]))
    await settled(pilot)


async def test_a_drag_selects_lines_and_y_copies_them() -> None:
    console = Told()
    console.queue_of([tree_plan(1)])
    async with deck(console) as pilot:
        view = await diff_of(pilot)
        await drag(pilot, view, (4, 0), (12, 3))
        lines = lines_of(view)
        wanted = "\n".join((lines[0][4:], lines[1], lines[2], lines[3][:13].rstrip()))
        assert len(wanted) > 40 and pilot.app.screen.get_selected_text() == wanted
        lit = view.render_lines(Region(0, 0, *view.outer_size))
        top = view.scrollable_content_region.y - view.region.y
        reversed_cells = ["".join(s.text for s in strip if s.style and s.style.reverse) for strip in lit]
        assert [text.rstrip() for text in reversed_cells[top : top + 4]] == wanted.split("\n")
        assert not any(reversed_cells[:top]) and not any(reversed_cells[top + 4 :])
        await pilot.press("y")
        await settled(pilot)
        assert pilot.app.clipboard == wanted


async def test_a_drag_stays_in_its_pane_and_a_click_or_escape_ends_the_selection() -> None:
    console = Told()
    console.queue_of([tree_plan(1)])
    async with deck(console) as pilot:
        view = await diff_of(pilot)
        first = lines_of(view)[0]
        await drag(pilot, view, (6, 0), (-40, 0))
        assert pilot.app.screen.get_selected_text() == first[:6].rstrip()
        assert set(pilot.app.screen.selections) == {view}
        await drag(pilot, view, (2, 0), (2, 0))
        assert not pilot.app.screen.selections
        await drag(pilot, view, (2, 0), (9, 0))
        assert pilot.app.screen.selections
        await pilot.press("escape")
        assert not pilot.app.screen.selections
