"""Days as people name them, and finding them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tree.browse.browser import Browser
from engine.tree.browse.find import Named, find, meant, named_dates
from tests.engine.tree.rig import TreeRig, entry


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what was on 2026-03-11?", (2026, 3, 11)),
        ("in 2026-03 we", (2026, 3, None)),
        ("On May 4th, I consulted you", (None, 5, 4)),
        ("the 11th of March 2026", (2026, 3, 11)),
        ("March 11, 2026", (2026, 3, 11)),
        ("am 11. März", (None, 3, 11)),
        ("3. Okt 2025 war", (2025, 10, 3)),
        ("我在5月2日看了什么", (None, 5, 2)),
        ("2026年3月", (2026, 3, None)),
        ("Feb 29", (None, 2, 29)),
    ],
)
def test_days_in_three_languages(text: str, named: tuple[int | None, int, int | None]) -> None:
    assert named_dates(text) == (Named(*named),)


@pytest.mark.parametrize(
    "text", ["May I ask", "March 99", "13月1日", "2026-02-30", "Feb 30", "marching 4 miles", "", "4"]
)
def test_what_names_no_day(text: str) -> None:
    assert named_dates(text) == ()


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(1 <= one.month <= 12 for one in named_dates(text))


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_every_day_is_found_by_its_name(day: date) -> None:
    near = [day + timedelta(days=n) for n in (-1, 0, 1)]
    for text in (f"{day}", f"{day:%B} {day.day}th, {day.year}", f"{day.day} {day:%B} {day.year}"):
        assert list(meant(text, near)) == [day], text


def test_find_names_the_day_even_where_no_line_says_it(rig: TreeRig) -> None:
    rig.log("2026-03-11", entry("auth [project]", "decided to use OAuth"))
    rig.log("2026-03-14", entry("garden [project]", "beds are dug"))
    rig.at("2026-03-15").cycle(drain=True)
    reach = find(Browser(rig.survey()), "on March 11th")
    assert reach.days == ("memory/daily/2026-03-11.md",)
    assert find(Browser(rig.survey()), "garden").topics[0] == "memory/daily/2026-03-14.md"
    assert find(Browser(rig.survey()), "OAuth").paths["memory/2026-03-11.md"] == 1
