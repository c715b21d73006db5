"""The costs of models as curves: by role, day and dry run, over three spans, with a month ahead (`:cost`)."""

from datetime import UTC, date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.cost_ledger import LedgerLine
from engine.models.cost_report import CostCurves, CostKey, cost_curves, forecast
from engine.models.model_task import Price
from tests.gallery.engines.figures import paid
from tests.prepared import three_plans
from tests.tui.conftest import Deck, deck, screen_text, settled
from tests.values import NOW
from tui.present import costs
from tui.present.plot import DotStyle
from tui.present.spans import plain
from tui.screens.lifecycle.costs import CostScreen
from tui.widgets.line_list import LineList
from tui.widgets.segments import width_of

MONTHS = forecast(Price(1.0, 5.0), Price(1.0, 5.0), Price(0.02, 0.0))


def call(days: int, role: str, usd: float, plan: str = "") -> LedgerLine:
    return LedgerLine(time=NOW - timedelta(days=days), role=role, plan=plan, model="m", input=10, output=1, usd=usd)


def curves_of(lines: list[LedgerLine], key: CostKey = CostKey.ROLE, days: int = 30) -> CostCurves:
    return cost_curves(lines, key, UTC, NOW.date(), days, MONTHS)


async def press(pilot: Deck, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await settled(pilot)


@pytest.mark.parametrize(("size", "way"), [((80, 24), ("8", "c")), ((120, 36), (":", *"cost", "enter"))])
async def test_the_curves_open_from_lifecycle_and_the_command_line_and_change_by_keys(
    size: tuple[int, int], way: tuple[str, ...]
) -> None:
    async with deck(paid(), size) as pilot:
        await press(pilot, way[0])
        await press(pilot, *way[1:])
        screen = pilot.app.screen
        assert isinstance(screen, CostScreen) and screen.curves is not None
        text = screen_text(pilot)
        assert "costs by role · 30 days" in text and "gate" in text and "extract" in text
        assert f"${screen.curves.whole.sum.usd:.4f}" in text and "month, heavy use" in text
        assert size[0] < 120 or "month, heavy use · 30 sessions/day" in text
        first = screen.curves.whole.sum.calls
        await press(pilot, "right")
        assert screen.curves.whole.sum.calls > first and "90 days" in screen_text(pilot)
        await press(pilot, "tab")
        assert "costs by day" in screen_text(pilot) and str(NOW.date()) in screen_text(pilot)
        await press(pilot, "tab")
        assert "by dry run" in screen_text(pilot) and "\x1b" not in screen_text(pilot)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, CostScreen)


async def test_the_part_under_the_cursor_lies_over_the_whole() -> None:
    workspace = paid()
    async with deck(workspace, (120, 36)) as pilot:
        await press(pilot, ":", *"cost", "enter")
        rows = pilot.app.screen.query_one(LineList)
        before = pilot.app.screen.query_one("#plot").render_line(0) and screen_text(pilot)
        await press(pilot, "j")
        assert rows.cursor == 1 and screen_text(pilot) != before


async def test_nothing_paid_is_said_and_the_forecast_stands() -> None:
    async with deck(three_plans(), (120, 36)) as pilot:
        await press(pilot, ":", *"cost", "enter")
        assert "no model was asked" in screen_text(pilot) and "light use" in screen_text(pilot)


def test_the_days_of_the_parts_add_up_to_the_whole_and_to_the_ledger() -> None:
    lines = [call(days, role, 0.01 * (days + 1), f"p {days % 3}") for days in range(40) for role in ("gate", "extract")]
    for key in CostKey:
        found = curves_of(lines, key)
        assert found.first == NOW.date() - timedelta(days=29) and found.last == NOW.date()
        for day in range(30):
            assert sum(one.days[day] for one in found.curves) == pytest.approx(found.whole.days[day])
        assert sum(found.whole.days) == pytest.approx(found.whole.sum.usd)
        assert found.whole.sum.usd == pytest.approx(sum(0.02 * (days + 1) for days in range(30)))


def test_the_dearest_stands_first_and_by_day_the_newest() -> None:
    lines = [call(0, "gate", 0.1), call(1, "extract", 0.5)]
    assert [one.sum.name for one in curves_of(lines).curves] == ["extract", "gate"]
    assert [one.sum.name for one in curves_of(lines, CostKey.DAY).curves] == [str(NOW.date()), str(_before(1))]


def test_one_call_is_told_in_the_singular() -> None:
    row = costs.CostRows(curves_of([call(0, "gate", 0.1)])).row(0)
    assert plain(row.left).endswith("gate · 1 call")


def test_the_axis_is_named_at_its_top_by_the_dearest_day_and_without_one_by_the_dearest_month() -> None:
    named = [
        plain(costs.drawn(curves_of(calls), None, 40, 5, DotStyle.ASCII)[0]) for calls in ([call(0, "gate", 0.1)], [])
    ]
    assert named[0].startswith("$0.1000") and named[1].startswith(f"${max(month.usd for month in MONTHS):.2f}")


def _before(days: int) -> date:
    return NOW.date() - timedelta(days=days)


@given(
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["gate", "x" * 90, "\x1b[31m"]), st.floats(0, 5000))),
    st.sampled_from(list(CostKey)),
    st.sampled_from([30, 90, 365]),
    st.integers(12, 130),
    st.integers(2, 40),
    st.sampled_from(list(DotStyle)),
)
def test_a_drawing_fills_its_room_and_no_more(
    rows: list[tuple[int, str, float]], key: CostKey, days: int, width: int, height: int, style: DotStyle
) -> None:
    found = curves_of([call(*row) for row in rows], key, days)
    shown = costs.CostRows(found)
    lines = costs.drawn(found, shown.part(0), width, height, style)
    assert len(lines) == height and all(width_of(line) <= width for line in lines)
    for index in range(len(shown)):
        assert "\x1b" not in plain(shown.row(index).left)
