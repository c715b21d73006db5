"""What is painted after a change: at once, as the toolkit would paint it, and no more than changed."""

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from tests.prepared import Told, told
from tests.tui.conftest import console_of, deck, settled, shows
from tests.values import make_plan, tree_plan
from tui.toolkit.compositor import Painter
from tui.toolkit.scroll import thumb
from tui.widgets.line_list import LineList


@pytest.fixture(autouse=True)
def frames_are_drawn_in_some() -> None:
    """Here each test looks at what is painted, and every frame is drawn."""


def _drawn(compositor: Compositor, regions: list[Region], chops: Callable[..., object]) -> str:
    """The bytes of an update of some regions, by one way of drawing or the other."""
    spans = list(compositor._regions_to_spans(regions))
    crop = Region.from_union(regions)
    drawn = chops(compositor, crop, {y for y, _, _ in spans}.__contains__)
    update = ChopsUpdate(drawn, spans, [line[1:] for line in compositor.cuts])  # type: ignore[arg-type]
    written = update.render_segments(Console(color_system="truecolor", force_terminal=True))
    return _GOING_NOWHERE.sub("", written)


_GOING_NOWHERE = re.compile(r"\x1b\[\d+;\d+H(?=\x1b\[\d+;\d+H|\n|$)")
"""The toolkit places the cursor right of a span as well, and writes nothing there."""


def _region(chance: random.Random) -> Region:
    x, y = chance.randrange(120), chance.randrange(36)
    return Region(x, y, chance.randint(1, 120 - x), chance.randint(1, 36 - y))


@pytest.mark.parametrize("key", ["1", "2", "3", "7", "question_mark", "colon"])
async def test_whatever_changed_is_painted_as_the_toolkit_paints_it(key: str) -> None:
    chance = random.Random(key)
    async with deck(told()) as pilot:
        await pilot.press(key)
        await settled(pilot)
        compositor = pilot.app.screen._compositor
        for _ in range(25):
            regions = [_region(chance) for _ in range(chance.randint(1, 4))]
            ours = _drawn(compositor, regions, Painter._render_chops)
            assert ours == _drawn(compositor, regions, Compositor._render_chops)


def _queue_of(count: int) -> Told:
    plan = tree_plan(1)
    engine = Told()
    engine.queue_of([plan, *(make_plan(number, plan.changes) for number in range(2, count + 2))])
    return engine


async def test_a_cursor_that_moves_draws_the_line_it_leaves_and_the_one_it_comes_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[tuple[str, int]] = []
    draw = LineList.render_line

    def noted(view: LineList, y: int) -> Strip:
        drawn.append((str(view.id), y))
        return draw(view, y)

    async with deck(_queue_of(30)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        monkeypatch.setattr(LineList, "render_line", noted)
        await pilot.press("j")
        await settled(pilot)
        assert sorted(y for view, y in drawn if view == "queue") == [0, 1]


async def test_a_cursor_in_a_diff_draws_its_own_lines_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with deck(told()) as pilot:
        await pilot.press("2", "enter")
        await settled(pilot)
        page = console_of(pilot).page
        view = page.pane("diff")
        assert view.has_focus
        painted: list[Region] = []
        refresh = Widget.refresh

        def noted(widget: Widget, *regions: Region, **how: bool) -> Widget:
            if widget is view:
                painted.extend(regions or (Region(0, 0, 0, 1 << 16),))
            return refresh(widget, *regions, **how)

        monkeypatch.setattr(Widget, "refresh", noted)
        await pilot.press("j")
        await settled(pilot)
        assert painted
        assert sum(region.height for region in painted) < view.size.height


@pytest.mark.own_painting
async def test_a_change_waits_for_no_beat_of_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toolkit's own clock for paints beats once an hour here; the console paints nevertheless."""
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 3600.0)
    async with deck(told()) as pilot:
        app = console_of(pilot)
        for key, words in (("2", "Queue"), ("1", "Due"), ("2", "Queue")):
            painted: list[str] = []
            await pilot.press(key)
            app.screen.call_after_refresh(painted.append, key)
            await shows(pilot, words)
            await settled(pilot)
            assert painted == [key]
            assert not app.screen._dirty_widgets


@given(st.integers(1, 60), st.integers(1, 500), st.floats(0, 1), st.floats(0, 1))
def test_a_bar_that_is_not_painted_anew_would_have_looked_the_same(
    size: int, more: int, before: float, now: float
) -> None:
    window, whole = size, size + more

    def looks(share: float) -> list[Segment]:
        position = int(share * more * 8) / 8
        bar = ScrollBarRender.render_bar(size, whole, window, position)
        return [Segment(part.text, part.style and part.style.clear_meta_and_links()) for part in bar.segments]

    def begins(share: float) -> int:
        return thumb(size, window, whole, int(share * more * 8) / 8)

    if begins(before) == begins(now):
        assert looks(before) == looks(now)
