"""The date of a file: precedence, names, frontmatter, zones (G8, A7, A8, C21)."""

import itertools
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import PolicyError
from engine.workspace.dates import (
    DATE_KEYS,
    frontmatter_date,
    mtime_date,
    name_date,
    outside_date,
    own_date,
    value_date,
    zone_of,
)
from engine.workspace.values import DateSource, FileDate

SEOUL: tzinfo = ZoneInfo("Asia/Seoul")
MTIME = 1_773_500_000_000_000_000  # 2026-03-14 14:53:20 UTC
MTIME_DAY = date(2026, 3, 14)


def resolve(front: bool, name: bool, git: bool) -> FileDate:
    values: dict[str, str | list[str]] = {"date": "2026-01-01"} if front else {"title": "x"}
    own, _ = own_date("2026-02-02-x.md" if name else "x.md", values, UTC)
    return own or outside_date(date(2026, 3, 3) if git else None, MTIME, UTC)


@pytest.mark.parametrize(("front", "name", "git"), list(itertools.product((False, True), repeat=3)))
def test_g8_frontmatter_then_name_then_git_then_mtime(front: bool, name: bool, git: bool) -> None:
    expected = (
        FileDate(date(2026, 1, 1), DateSource.FRONTMATTER)
        if front
        else FileDate(date(2026, 2, 2), DateSource.NAME)
        if name
        else FileDate(date(2026, 3, 3), DateSource.GIT)
        if git
        else FileDate(MTIME_DAY, DateSource.MTIME)
    )
    found = resolve(front, name, git)
    assert found == expected
    assert found.low_confidence == (not (front or name or git))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2026-02-16-1430-slug.md", date(2026, 2, 16)),
        ("2026-03-15.md", date(2026, 3, 15)),
        ("notes-2026-03-15.md", date(2026, 3, 15)),
        ("notes_2026-03-15_b.md", date(2026, 3, 15)),
        ("日記2026-03-15メモ.md", date(2026, 3, 15)),
        ("2026-03-15T1030-standup.md", date(2026, 3, 15)),
        ("2026-03-15 2026-03-16.md", date(2026, 3, 15)),
        ("2024-02-29.md", date(2024, 2, 29)),
        ("2025-02-29.md", None),
        ("2026-02-30.md", None),
        ("2026-13-01.md", None),
        ("12026-03-15.md", None),
        ("2026-03-151.md", None),
        ("x2026-03-15.md", None),
        ("2026-03-15th.md", None),
        ("2026-3-15.md", None),
        ("٢٠٢٦-٠٣-١٥.md", None),
        ("20260315.md", None),
        ("plain.md", None),
    ],
)
def test_date_in_a_file_name(name: str, expected: date | None) -> None:
    assert name_date(name)[0] == expected


def test_a8_the_date_of_archiving_is_not_the_notes_own() -> None:
    assert name_date("plan-archived-2026-03-01.md")[0] is None
    assert name_date("plan-archived-2026-03-01-2.md")[0] is None
    assert name_date("2026-01-05-plan-archived-2026-03-01.md")[0] == date(2026, 1, 5)
    assert name_date("2026-01-05-archived-2026-03-01-12.md")[0] == date(2026, 1, 5)
    assert name_date("unarchived-2026-03-01-x.md")[0] == date(2026, 3, 1)


def test_c21_a_date_that_does_not_exist_is_passed_over_with_a_remark() -> None:
    assert name_date("2026-02-30.md") == (None, ("the date 2026-02-30 in the file name does not exist",))
    assert name_date("2026-02-30-to-2026-03-02.md") == (
        date(2026, 3, 2),
        ("the date 2026-02-30 in the file name does not exist",),
    )
    own, remarks = own_date("2026-02-03.md", {"date": "2026-02-31"}, UTC)
    assert own == FileDate(date(2026, 2, 3), DateSource.NAME)
    assert remarks == ("frontmatter date: '2026-02-31' is not a date",)


@given(st.dates(), st.from_regex(r"[a-z]{0,8}", fullmatch=True), st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True))
def test_any_date_set_off_in_a_name_is_found(day: date, before: str, after: str) -> None:
    text = f"{day.year:04}-{day.month:02}-{day.day:02}"
    for name in (f"{text}.md", f"{before}-{text}-{after}.md", f"{text}-{after}-archived-2026-01-01.md"):
        assert name_date(name) == (day, ())


@given(st.text(max_size=40))
def test_any_name_at_all_has_a_date_or_none(name: str) -> None:
    day, _ = name_date(name)
    assert day is None or day.isoformat() in name


def test_a7_source_date_leads_before_the_date_of_compiling() -> None:
    keys = dict.fromkeys(DATE_KEYS, "")
    values: dict[str, str | list[str]] = {key: f"2026-01-0{place}" for place, key in enumerate(keys, start=1)}
    for place, key in enumerate(DATE_KEYS, start=1):
        assert frontmatter_date(values, UTC)[0] == date(2026, 1, place)
        del values[key]
    assert DATE_KEYS[0] == "source-date"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-15", date(2026, 3, 15)),
        ("  2026-03-15  ", date(2026, 3, 15)),
        ("2026-03-15T20:00:00Z", date(2026, 3, 16)),
        ("2026-03-15T20:00:00+00:00", date(2026, 3, 16)),
        ("2026-03-15 20:00:00", date(2026, 3, 15)),
        ("2026-03-15T08:00:00-07:00", date(2026, 3, 16)),
        ("2026-03-15T23:59", date(2026, 3, 15)),
        ("2026-03-15T99:99", date(2026, 3, 15)),
        ("2026-03-15 (Sunday)", date(2026, 3, 15)),
        ("2026-03-15, revised", date(2026, 3, 15)),
        ("2026-02-30", None),
        ("2026-02-30T10:00:00Z", None),
        ("2026-03-151", None),
        ("2026-03-15-16", None),
        ("2026-W11-7", None),
        ("20260315", None),
        ("yesterday", None),
        ("9999-12-31T23:00:00-10:00", date(9999, 12, 31)),
        ("", None),
    ],
)
def test_dates_in_frontmatter(text: str, expected: date | None) -> None:
    assert value_date(text, SEOUL) == expected


@given(
    st.datetimes(min_value=datetime(1900, 1, 3), max_value=datetime(2200, 1, 1)),
    st.integers(-14 * 60, 14 * 60),
    st.sampled_from([-11 * 60, 0, 9 * 60, 345]),
)
def test_a_moment_with_an_offset_is_moved_into_the_zone(moment: datetime, offset: int, ours: int) -> None:
    text = moment.replace(tzinfo=timezone(timedelta(minutes=offset))).isoformat()
    oracle = (moment - timedelta(minutes=offset) + timedelta(minutes=ours)).date()
    assert value_date(text, timezone(timedelta(minutes=ours))) == oracle


@given(st.text(max_size=60))
def test_any_text_is_a_date_or_none(text: str) -> None:
    day = value_date(text, SEOUL)
    assert day is None or text.strip()[:4].isdecimal()


def test_values_that_are_lists_or_empty_are_passed_over() -> None:
    assert frontmatter_date({"date": ["2026-01-01"], "created": "  ", "started": "2026-01-02"}, UTC) == (
        date(2026, 1, 2),
        (),
    )


def test_mtime_is_a_day_of_the_workspaces_zone() -> None:
    late = int(datetime(2026, 3, 15, 20, tzinfo=UTC).timestamp()) * 1_000_000_000
    assert mtime_date(late, UTC) == date(2026, 3, 15)
    assert mtime_date(late, SEOUL) == date(2026, 3, 16)


@pytest.mark.parametrize("mtime", [-(2**62), 2**63 - 1, -1, 0, 10**30, -(10**30)])
def test_no_mtime_is_too_strange(mtime: int) -> None:
    assert isinstance(mtime_date(mtime, SEOUL), date)


def test_g8_a_future_date_counts_as_age_0() -> None:
    found = FileDate(date(2026, 4, 1), DateSource.NAME)
    assert found.age_days(date(2026, 3, 15)) == 0
    assert found.is_future(date(2026, 3, 15))


def test_zones() -> None:
    assert zone_of("UTC") is UTC
    assert zone_of("Asia/Seoul") == SEOUL
    for bad in ("Mars/Olympus", "../../etc/passwd", "", "/etc/localtime"):
        with pytest.raises(PolicyError, match="unknown time zone"):
            zone_of(bad)
