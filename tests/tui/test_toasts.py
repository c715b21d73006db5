"""Toasts: a line of their own above the hints, over no content and over no question."""

import pytest
from textual.widgets._toast import Toast

from tests.gallery.stage import words
from tests.prepared import told
from tests.tui.conftest import Deck, console_of, deck, holds, settled
from tui.present.spans import ListRow, ListRows, Span
from tui.toolkit.painter import BaseScreen
from tui.widgets.line_list import LineList

_LONG = "a sentence that takes more than one line of a narrow terminal, as errors with a way out often do " * 2

_STAYS = 600.0
"""Seconds: no toast goes while a slow machine looks for it."""


def _toasts(pilot: Deck) -> list[Toast]:
    return list(pilot.app.screen.query(Toast))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize("place", ["1", "2", "3", "4", "5", "6", "7", "8"])
async def test_a_toast_lies_over_no_content(size: tuple[int, int], place: str) -> None:
    async with deck(told(), size=size) as pilot:
        await pilot.press(place)
        await settled(pilot)
        console_of(pilot).notify("copied", timeout=_STAYS)
        console_of(pilot).notify(_LONG, title="A new plan waits for you", severity="warning", timeout=_STAYS)
        await holds(pilot, lambda: len(_toasts(pilot)) == 2, "two toasts")
        app = console_of(pilot)
        await holds(pilot, lambda: app.stage.region.bottom == min(toast.region.y for toast in _toasts(pilot)), "room")
        assert max(toast.region.bottom for toast in _toasts(pilot)) == app.edges.hints.region.y
        assert app.edges.hints.region.bottom == size[1]


async def test_the_line_under_the_cursor_stays_in_sight() -> None:
    async with deck(told(), size=(80, 24)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        lines = pilot.app.focused
        assert isinstance(lines, LineList)
        rows = ListRows([ListRow((Span(f"line {number}"),)) for number in range(100)])
        lines.show(rows, cursor=0)
        last = lines.scrollable_content_region.height - 1
        lines.show(rows, cursor=last)
        console_of(pilot).notify(_LONG, title="A title", timeout=_STAYS)
        await holds(pilot, lambda: lines.scrollable_content_region.height <= last, "a shorter list")
        await settled(pilot)
        top = round(lines.scroll_offset.y)
        assert lines.cursor == last
        assert top <= lines.cursor < top + lines.scrollable_content_region.height


async def test_the_page_takes_its_lines_back_when_a_toast_goes() -> None:
    async with deck(told()) as pilot:
        app = console_of(pilot)
        before = app.stage.region
        app.notify("copied", timeout=_STAYS)
        await holds(pilot, lambda: app.stage.region.height == before.height - 1, "a line for the toast")
        app.clear_notifications()
        await holds(pilot, lambda: app.stage.region == before, "the page as it was")


async def test_a_toast_stands_once_over_a_dialog_and_below_no_page() -> None:
    async with deck(told(), size=(80, 24)) as pilot:
        app = console_of(pilot)
        app.notify("copied", timeout=_STAYS)
        await holds(pilot, lambda: len(_toasts(pilot)) == 1, "a toast")
        await pilot.press("?")
        await settled(pilot)
        assert words(app).count("copied") == 1
        await pilot.press("escape")
        await settled(pilot)
        assert words(app).count("copied") == 1


async def test_toasts_about_something_go_when_it_is_over() -> None:
    async with deck(told()) as pilot:
        app = console_of(pilot)
        app.say("asking the probes…", about="probes")
        app.say("something else")
        await holds(pilot, lambda: len(_toasts(pilot)) == 2, "two toasts")
        app.over("probes")
        await holds(pilot, lambda: len(_toasts(pilot)) == 1, "one toast")
        assert "something else" in words(app)
        app.over("probes")
        assert len(_toasts(pilot)) == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
@pytest.mark.parametrize("keys", [("2", "R"), (":", *"cost", "enter"), ("7", "r")])
async def test_a_toast_makes_room_on_a_screen_over_the_pages(size: tuple[int, int], keys: tuple[str, ...]) -> None:
    async with deck(told(), size=size) as pilot:
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        app = console_of(pilot)
        assert not isinstance(app.screen, BaseScreen)
        app.notify(_LONG, title="A title", timeout=_STAYS)
        await holds(pilot, lambda: len(_toasts(pilot)) == 1, "a toast")
        await settled(pilot)
        (toast,) = _toasts(pilot)
        panes = [pane.region for pane in app.screen.children if pane.display and not pane.has_class("-textual-system")]
        assert not any(region.overlaps(toast.region) for region in panes)
        assert toast.region.bottom <= size[1]


async def test_a_toast_that_is_said_again_leaves_no_blank_line() -> None:
    async with deck(told()) as pilot:
        app = console_of(pilot)
        before = app.stage.region
        for _ in range(3):
            app.say("there is nothing to copy here")
            await settled(pilot)
        await holds(pilot, lambda: app.stage.region.height == before.height - 1, "one line for the toast")
