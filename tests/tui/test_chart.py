"""The gauges of the Overview as doors: a cursor on them, a chart behind each, and what it counts."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MemdeckError
from engine.monitoring.chart import GaugeMember, chart
from tests.prepared import three_plans
from tests.ready_demo import Demo
from tests.tui.conftest import Deck, console_of, deck, screen_text, settled
from tests.tui.test_outlook import trend
from tests.values import NOW
from tui.dialogs.text_reader import TextReader
from tui.present.overview import chart as charts
from tui.present.plot import DotStyle, Plot
from tui.present.spans import plain
from tui.screens.overview.chart import GaugeChartScreen
from tui.screens.overview.gauge_cards import GaugeCards
from tui.widgets.card import MARK, GaugeCard
from tui.widgets.line_list import LineList
from tui.widgets.segments import width_of

STYLES = list(DotStyle)


def cards_of(pilot: Deck) -> GaugeCards:
    return pilot.app.query_one(GaugeCards)


async def press(pilot: Deck, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await settled(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_from_nine_eligible_to_the_ninth_file(demo: Demo, size: tuple[int, int]) -> None:
    """`c` `enter` opens the notes, eight steps lead to the ninth, `enter` opens it: eleven keys."""
    with demo.open_today() as workspace:
        async with deck(workspace, size) as pilot:
            assert "9 eligible" in screen_text(pilot)
            await press(pilot, "c", "enter")
            screen = pilot.app.screen
            assert isinstance(screen, GaugeChartScreen) and screen.chart is not None
            assert "9 eligible of 14 notes" in screen_text(pilot)
            ninth = screen.chart.members[8]
            assert ninth.eligible and not screen.chart.members[9].eligible
            await press(pilot, *"jjjjjjjj", "enter")
            assert isinstance(pilot.app.screen, TextReader)
            text = screen_text(pilot)
            assert ninth.path in text
            first = (demo.folder / ninth.path).read_text("utf-8").split("\n")
            assert next(line for line in first if line.strip()).strip() in text


async def test_the_cursor_goes_from_gauge_to_gauge_and_shows_where_it_is(demo: Demo) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            await press(pilot, "c")
            assert cards_of(pilot).gauge == "working.files" and MARK in screen_text(pilot)
            await press(pilot, "j")
            assert cards_of(pilot).gauge == "working.tokens"
            await press(pilot, "l")
            assert cards_of(pilot).gauge == "episodic.files"
            await press(pilot, "G")
            assert cards_of(pilot).gauge == "archive.files"
            await press(pilot, "j")
            assert cards_of(pilot).gauge == "working.files"
            await press(pilot, "h")
            assert cards_of(pilot).gauge == "root.tokens"
            await press(pilot, "escape")
            assert not cards_of(pilot).has_focus and f"files{MARK}" not in screen_text(pilot)


async def test_tab_and_jump_reach_the_gauges_too(demo: Demo) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            await press(pilot, "shift+tab")
            assert cards_of(pilot).has_focus
            await press(pilot, "tab")
            assert not cards_of(pilot).has_focus
            await press(pilot, "ctrl+o", "a")
            assert cards_of(pilot).has_focus


async def test_a_click_on_a_gauge_opens_it(demo: Demo) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            card = pilot.app.query_one("#working", GaugeCard)
            line = next(y for y in range(card.content_size.height) if "tokens" in card.render_line(y).text)
            assert card.gauge_at(line) == "working.tokens"
            await pilot.click(card, offset=(4, line + 1))
            await settled(pilot)
            screen = pilot.app.screen
            assert isinstance(screen, GaugeChartScreen) and screen.chart is not None
            assert screen.chart.trend.id == "working.tokens"


async def test_spans_and_gauges_change_in_the_chart(demo: Demo) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            await press(pilot, "c", "enter")
            screen = pilot.app.screen
            assert isinstance(screen, GaugeChartScreen) and screen.chart is not None and screen.chart.days == 90
            await press(pilot, "right", "right")
            assert screen.chart.days == 365
            await press(pilot, "left", "left", "left")
            assert screen.chart.days == 30
            await press(pilot, "tab")
            assert screen.chart.trend.id == "working.tokens" and screen.chart.days == 30
            await press(pilot, "shift+tab", "shift+tab")
            assert screen.chart.trend.id == "archive.files"
            await press(pilot, "escape")
            assert not isinstance(pilot.app.screen, GaugeChartScreen)


async def test_a_gauge_that_cannot_be_read_is_told() -> None:
    workspace = three_plans()
    workspace.stub.fails("status.chart", MemdeckError("the samples cannot be read"))
    async with deck(workspace) as pilot:
        await press(pilot, "c", "enter")
        assert isinstance(pilot.app.screen, GaugeChartScreen)
        assert "✗" in screen_text(pilot)
        await press(pilot, "tab", "escape")


@pytest.mark.parametrize("dots", STYLES)
async def test_every_terminal_gets_signs_that_it_can_show(demo: Demo, dots: DotStyle) -> None:
    with demo.open_today() as workspace:
        async with deck(workspace) as pilot:
            console_of(pilot).dots = dots
            await press(pilot, "c", "j", "enter")
            shown = {letter for letter in screen_text(pilot) if 0x2800 <= ord(letter) < 0x2900}
            assert bool(shown) == (dots is DotStyle.BRAILLE)


# The picture


def shown(first: int, last: int, days: int = 90) -> str:
    found = chart(trend(first, last), days, NOW, ())
    return "\n".join(plain(line) for line in charts.drawn(found, 72, 16, DotStyle.BRAILLE))


def test_limits_stand_on_the_axis_with_their_names() -> None:
    text = shown(700, 1063)
    for words in ("1,200 ┄", "1,020 ┄", "900 ┄", "hard limit", "risk line", "soft line", "now"):
        assert words in text
    order = [text.index(words) for words in ("hard limit", "risk line", "soft line")]
    assert order == sorted(order)
    assert text.split("\n")[0].lstrip().startswith("1.9k ")


def test_a_forecast_is_drawn_beyond_now_and_nothing_where_there_is_none() -> None:
    def beyond(text: str) -> int:
        rows = text.split("\n")
        now = rows[-1].index("now") + 4
        return sum(0x2800 <= ord(sign) < 0x2900 for row in rows[:-1] for sign in row[now:])

    assert beyond(shown(1021, 1063)) > 5
    assert beyond(shown(1063, 1063)) == 0


def test_a_scale_far_from_zero_begins_near_the_lowest_figure() -> None:
    assert shown(1021, 1063).split("\n")[-2].strip().startswith("8")
    assert shown(0, 1063).split("\n")[-2].strip().startswith("0")


@given(
    st.lists(st.integers(0, 10**7), min_size=2, max_size=12),
    st.sampled_from((30, 90, 365)),
    st.integers(12, 140),
    st.integers(2, 50),
    st.sampled_from(STYLES),
)
def test_a_chart_fills_exactly_its_room(values: list[int], days: int, width: int, height: int, dots: DotStyle) -> None:
    known = trend(values[0], values[-1])
    points = tuple((NOW - timedelta(days=len(values) - at), value) for at, value in enumerate(values))
    found = chart(msgspec.structs.replace(known, points=points), days, NOW, ())
    lines = charts.drawn(found, width, height, dots)
    assert len(lines) == height
    assert all(width_of(line) <= max(width, 12) for line in lines)


@given(st.lists(st.tuples(st.integers(-9, 99), st.integers(-9, 99)), min_size=2), st.sampled_from(STYLES))
def test_a_plot_takes_any_points_and_keeps_its_size(points: list[tuple[int, int]], dots: DotStyle) -> None:
    plot = Plot(20, 6, dots)
    plot.path(points, "ok")
    lines = plot.lines()
    assert [width_of(line) for line in lines] == [20] * 6


@given(st.floats(0, 39), st.floats(0, 23), st.floats(0, 39), st.floats(0, 23))
def test_a_line_has_no_gap(x0: float, y0: float, x1: float, y1: float) -> None:
    plot = Plot(20, 6, DotStyle.BRAILLE)
    plot.path([(x0, y0), (x1, y1)], "ok")
    dots = sorted(
        (2 * column + at % 2, 4 * row + at // 2)
        for row, line in enumerate(plot.lines())
        for column, char in enumerate("".join(span.text for span in line))
        for at, bit in enumerate((0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80))
        if ord(char) & bit and char != " "
    )
    columns, rows = ({dot[axis] for dot in dots} for axis in (0, 1))
    for seen in (columns, rows):
        assert seen == set(range(min(seen), max(seen) + 1)), "every column and every row on the way"


def test_members_are_numbered_and_say_what_may_go() -> None:
    members = (
        GaugeMember(path="memory/working/a.md", line=1, title="a.md", tokens=1200, lines=4, age_days=18, eligible=True),
        GaugeMember(path="memory/working/b\x1b.md", line=1, title="b\x1b.md", tokens=7, lines=1, age_days=2),
    )
    rows = charts.MemberRows(members)
    assert plain(rows.row(0).left) == "1 ▸ a.md" and plain(rows.row(0).right) == "1,200 tok  18 d"
    assert plain(rows.row(1).left) == "2   b␛.md" and plain(rows.row(1).right) == "    7 tok   2 d"


async def test_ten_thousand_members_cost_what_is_on_screen() -> None:
    workspace = three_plans()
    note = GaugeMember(path="memory/working/a.md", line=1, title="a.md", tokens=1, lines=1, age_days=1)
    course = trend(5, 9, name="working.files", unit="files")
    workspace.stub.gives("status.chart", chart(course, 90, NOW, (note,) * 10_000))
    async with deck(workspace) as pilot:
        await press(pilot, "c", "enter", "G")
        assert pilot.app.screen.query_one("#parts", LineList).cursor == 9_999
