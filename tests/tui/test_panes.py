"""Panes of the screens: a burst of keys goes as far as the same keys one by one, and each pane has its border."""

import pytest
from textual import events

from tests.prepared import three_plans
from tests.tui.conftest import Deck, console_of, deck, settled
from tui.registry.screens import PLACES
from tui.widgets.line_list import LineList
from tui.widgets.painted import Painted
from tui.widgets.text_pane import TextPane

WIDE, NARROW = (120, 36), (80, 24)


async def _tabs(pilot: Deck, count: int) -> None:
    """Keys that are all there before the first of them is done."""
    for _ in range(count):
        pilot.app.post_message(events.Key("tab", None))
    await settled(pilot)


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("screen", ["1", "2", "3", "7"])
async def test_a_burst_of_tabs_goes_as_far_as_the_same_tabs_one_by_one(screen: str, size: tuple[int, int]) -> None:
    async with deck(three_plans(), size) as pilot:
        await pilot.press(screen)
        await settled(pilot)
        page = console_of(pilot).page
        first = page.current
        for count in (2, 3):
            for _ in range(count):
                await _tabs(pilot, 1)
            there = page.current
            page.turn_to(first)
            await settled(pilot)
            await _tabs(pilot, count)
            assert page.current == there
            assert page.screen.focused is page.pane(there)
            page.turn_to(first)
            await settled(pilot)


@pytest.mark.own_painting
async def test_a_scroll_bar_comes_and_goes_with_the_room() -> None:
    async with deck(three_plans(), (120, 60)) as pilot:
        lines = pilot.app.query_one("#attention", LineList)
        for height, shown in ((60, False), (20, True), (60, False)):
            await pilot.resize_terminal(120, height)
            await settled(pilot)
            assert (lines.count > lines.container_size.height) == shown
            assert lines.show_vertical_scrollbar == shown
        await pilot.press("4")
        await settled(pilot)
        figures = pilot.app.query_one("#funnel", TextPane)
        assert figures.lines_laid_out <= figures.container_size.height and not figures.show_vertical_scrollbar


async def test_every_pane_has_the_class_that_gives_it_its_border() -> None:
    async with deck(three_plans()) as pilot:
        for place in PLACES:
            await pilot.press(place.key)
            await settled(pilot)
            page = console_of(pilot).page
            panes = [page.pane(name) for name in page.PANES]
            assert [pane.has_class("pane") for pane in panes] == [isinstance(pane, Painted) for pane in panes]
