"""The tree as a calendar: which days it has, how they are drawn, and the way to the day with the gap."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.services.engine import Engine
from engine.tree.browse.weeks import WHOLE_WEEKS, weeks
from tests.prepared import prepared
from tests.ready_demo import Demo
from tests.tui.conftest import Deck, console_of, deck, screen_text, settled
from tests.tui.test_tree import Place
from tui.present.spans import plain
from tui.present.tree.calendar import CalendarPlace, TreeCalendar, cell_at
from tui.screens.tree.calendar import CalendarGrid
from tui.screens.tree.page import TreePage
from tui.widgets.segments import width_of

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def page_of(pilot: Deck) -> TreePage:
    page = console_of(pilot).page
    assert isinstance(page, TreePage)
    return page


def shown(engine: Engine) -> TreeCalendar:
    engine.status.read()
    return TreeCalendar(weeks(engine.tree.browse()))


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_find_the_day_with_the_gap(demo: Demo, size: tuple[int, int]) -> None:
    """Three keys: `3` `c`, and `n` for the next day that wants doing; each says in brackets what is wrong."""
    with demo.open_today() as engine:
        async with deck(engine, size) as pilot:
            for key in ("3", "c"):
                await pilot.press(key)
                await settled(pilot)
            assert "4 gaps and stale days" in screen_text(pilot) and "[○]" in screen_text(pilot)
            await pilot.press("n")
            await settled(pilot)
            page = page_of(pilot)
            assert page.nodes.here == "memory/daily/2026-03-10.md"
            assert "[▲]" in screen_text(pilot) and "Tue 10 Mar 2026 · stale-fixed · 106 tokens" in screen_text(pilot)
            await pilot.press("n")
            await settled(pilot)
            assert page.nodes.here == "memory/daily/2026-03-13.md"
            await pilot.press("N", "enter")
            await settled(pilot)
            assert page.current == "text" and page.nodes.here == "memory/daily/2026-03-10.md"


async def test_the_cursor_goes_by_days_and_weeks_and_stays_within(demo: Demo) -> None:
    with demo.open_today() as engine:
        async with deck(engine) as pilot:
            await pilot.press("3", "c")
            await settled(pilot)
            grid = page_of(pilot).query_one(CalendarGrid)

            async def after(*keys: str) -> date | None:
                for key in keys:
                    await pilot.press(key)
                await settled(pilot)
                found = grid.calendar.at(grid.place)
                return found.day if found is not None else None

            latest = await after("G")
            assert latest == date(2026, 3, 15)
            assert await after("l", "j") == latest
            assert await after("h") == date(2026, 3, 14)
            assert await after("k") == date(2026, 3, 7)
            first = await after("g")
            assert first is not None and await after("h", "k", "pageup") == first
            assert await after("pagedown") == first + timedelta(weeks=4)
            assert page_of(pilot).nodes.here == f"memory/daily/{first + timedelta(weeks=4)}.md"
            await pilot.press("c")
            await settled(pilot)
            assert page_of(pilot).current == "nodes"


async def test_a_click_chooses_a_day(demo: Demo) -> None:
    with demo.open_today() as engine:
        async with deck(engine) as pilot:
            await pilot.press("3", "c")
            await settled(pilot)
            grid = page_of(pilot).query_one(CalendarGrid)
            row = len(grid.calendar) - grid.scroll_offset.y
            await pilot.click(grid, offset=(1 + 11 + 4 + 1, row + 1))
            await settled(pilot)
            assert page_of(pilot).nodes.here == "memory/daily/2026-03-10.md"


async def test_a_tree_without_days_says_so() -> None:
    async with deck(prepared()) as pilot:
        await pilot.press("3", "c")
        await settled(pilot)
        assert "a tree grows from daily logs" in screen_text(pilot) and "memory/YYYY-MM-DD.md" in screen_text(pilot)
        await pilot.press("j", "n", "g", "G", "h")
        await settled(pilot)


def test_a_week_has_its_days_up_to_today_and_none_before_the_first_log(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.log("2026-03-11", "# a\n\n## b [project]\n- c\n")
    place.log("2026-03-13", "# a\n\n## b [project]\n- c and much more than on the other day\n")
    with place.open(NOW) as engine:
        calendar = shown(engine)
    (week,) = calendar.weeks
    assert [day.day.day for day in week.days] == [11, 12, 13, 14, 15]
    assert calendar.todo == (CalendarPlace(0, 2), CalendarPlace(0, 4))
    line = plain(calendar.line(0, None))
    assert line.count("[○]") == 2 and line.startswith("2026 W11")


def test_a_day_that_changed_after_its_node_stands_out(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.log("2026-03-10", "# a\n\n## b [project]\n- c\n")
    place.grow(NOW)
    with place.open(NOW) as engine:
        assert shown(engine).todo == ()
    place.log("2026-03-10", "- written later\n")
    with place.open(NOW) as engine:
        assert shown(engine).todo == (CalendarPlace(0, 1),)


def test_a_log_of_the_year_one_adds_one_week(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.log("0001-01-02", "# a\n\n## b [project]\n- c\n")
    place.log("2026-03-10", "# a\n\n## b [project]\n- c\n")
    with place.open(NOW) as engine:
        assert len(shown(engine)) <= WHOLE_WEEKS + 2


@given(st.integers(0, 200), st.sampled_from((1, -1)))
def test_every_cell_leads_to_a_weekday_or_to_none(x: int, by: int) -> None:
    weekday = cell_at(x)
    assert weekday is None or 0 <= weekday < 7
    assert TreeCalendar().next_todo(CalendarPlace(0, 0), by) is None


def test_every_week_of_the_demonstration_is_as_wide_as_its_head(demo: Demo) -> None:
    with demo.open_today() as engine:
        calendar = shown(engine)
    assert {width_of(calendar.line(at, calendar.last)) for at in range(len(calendar))} == {width_of(calendar.header())}
    for at, week in enumerate(calendar.weeks):
        for day in week.days:
            assert calendar.place_of(day.day) == CalendarPlace(at, day.day.weekday())
