"""The months of what was found: each counted once, drawn in the room there is."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from engine.search.values import MonthCount, by_month
from tests.ready_demo import Demo
from tests.tui.conftest import deck, screen_text, settled
from tests.tui.test_search_views import hit
from tui.present.count_strip import strip_of
from tui.present.spans import plain
from tui.widgets.segments import width_of

days = st.lists(st.dates(min_value=date(2014, 1, 1), max_value=date(2026, 12, 31)), max_size=30)


def test_months_between_are_counted_as_none() -> None:
    found = by_month([hit(day="2026-01-31"), hit(day="2026-03-01"), hit(day="2026-03-30"), hit(day="")])
    assert [(month.month.isoformat(), month.hits) for month in found] == [
        ("2026-01-01", 1),
        ("2026-02-01", 0),
        ("2026-03-01", 2),
    ]
    assert by_month([]) == () == by_month([hit(day="")])


@given(days)
def test_every_dated_hit_is_counted_once(found: list[date]) -> None:
    months = by_month(hit(day=day.isoformat()) for day in found)
    assert sum(month.hits for month in months) == len(found)
    assert [month.month for month in months] == sorted({month.month for month in months})


@given(days, st.integers(10, 160))
def test_a_strip_stays_within_its_room(found: list[date], width: int) -> None:
    assert width_of(strip_of(by_month(hit(day=day.isoformat()) for day in found), width)) <= width


def test_the_month_with_most_stands_highest_and_is_named() -> None:
    months = [MonthCount(date(2026, month, 1), hits) for month, hits in ((1, 2), (2, 0), (3, 8))]
    text = plain(strip_of(months, 80))
    assert text.startswith("Jan 2026 ▂▂▂···███ Mar 2026") and text.endswith("most in Mar 2026: 8 hits")
    assert strip_of(months[:1], 80) == ()


async def test_the_strip_stands_above_the_hits(demo: Demo) -> None:
    with demo.open_today() as engine:
        engine.search.index()
        for size in ((80, 24), (120, 36)):
            async with deck(engine, size) as pilot:
                await pilot.press("6", *"rollback")
                await settled(pilot)
                await pilot.press("enter")
                await settled(pilot)
                text = screen_text(pilot)
                assert "most in" in text and text.index("most in") < text.index("Found")
