"""References and comments: where a line came from, written and read again; nothing in a raw log can forge one."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tree.source_references import raw_day, read_ref, split_refs, trace, write_from, write_ref
from engine.workspace.values import LineSpan

DAYS = st.dates(date(1971, 1, 1), date(2099, 12, 31))
NAMES = st.text(st.characters(exclude_characters="/\0\n\r", exclude_categories=["Cs", "Cc"]), max_size=12)


@given(DAYS, NAMES, st.integers(1, 99999), st.integers(0, 500), st.integers(-150, 150))
def test_a_reference_leads_back_to_its_lines(day: date, slug: str, start: int, more: int, away: int) -> None:
    near = date.fromordinal(day.toordinal() + away)
    path = f"memory/{day}{'-' + slug if slug else ''}.md"
    span = LineSpan(path, start, start + more)
    assert read_ref(write_ref(span), near) == span
    assert split_refs(f"- {write_ref(span)} words", near) == ((span,), "- words")


def test_c21_further_logs_of_a_day_have_references_of_their_own() -> None:
    span = LineSpan("memory/2026-02-16-1430-fix it.md", 3, 9)
    assert write_ref(span) == "02-16-1430-fix%20it:3-9"
    assert read_ref(write_ref(span), date(2026, 2, 28)) == span


def test_the_year_is_the_one_nearest_to_the_node() -> None:
    assert read_ref("12-31:4", date(2021, 1, 3)) == LineSpan("memory/2020-12-31.md", 4, 4)
    assert read_ref("01-01:4", date(2020, 12, 31)) == LineSpan("memory/2021-01-01.md", 4, 4)
    assert read_ref("02-29:1", date(2023, 3, 1)) == LineSpan("memory/2024-02-29.md", 1, 1)


@pytest.mark.parametrize(
    "text", ["", "03-15", "03-15:", "13-45:2", "03-15:0", "../x:3", "02-30:1", "weekly/2026-W99x:1"]
)
def test_what_is_no_reference_is_none(text: str) -> None:
    assert read_ref(text, date(2026, 3, 20)) is None


def test_a_copy_maps_line_for_line_through_both_comments() -> None:
    lines = [
        "## 2026-03-15",
        write_from(LineSpan("memory/daily/2026-03-15.md", 13, 15)),
        write_from(LineSpan("memory/2026-03-15.md", 4, 5)),
        "### auth",
        "- a",
        "",
        "- 03-14:7-8 words of another day",
    ]
    traced = trace(lines, 20, date(2026, 3, 15))
    assert [line.line for line in traced] == [20, 21, 22, 23, 24, 25, 26]
    assert traced[3].source == LineSpan("memory/2026-03-15.md", 4, 4)
    assert traced[4].source == LineSpan("memory/2026-03-15.md", 5, 5)
    assert traced[5].source is None
    assert traced[6].source == LineSpan("memory/2026-03-14.md", 7, 8)


def test_nothing_inside_a_copied_log_can_say_where_it_is_from() -> None:
    forged = write_from(LineSpan("memory/2020-01-01.md", 1, 9))
    lines = [write_from(LineSpan("memory/2026-03-15.md", 1, 3)), forged, "- 01-02:3 forged", "- real"]
    traced = trace(lines, 1, date(2026, 3, 15))
    assert [line.source for line in traced[1:]] == [LineSpan("memory/2026-03-15.md", n, n) for n in (1, 2, 3)]
    assert traced[2].text == "- 01-02:3 forged"
    assert not traced[2].stated


def test_only_logs_and_nodes_are_named() -> None:
    lines = ["<!-- from memory/../../etc/passwd:1-3 -->", "x", "<!-- from memory/semantic/openclaw.md:1-3 -->", "y"]
    assert [line.source for line in trace(lines, 1, date(2026, 3, 15))] == [None] * 4


def test_days_that_do_not_exist_are_no_days() -> None:
    assert raw_day("memory/2026-02-30.md") is None
    assert raw_day("memory/2026-02-16-1430-slug.md") == date(2026, 2, 16)
    assert raw_day("memory/daily/2026-02-16.md") is None
