"""The calendar against Python's own, for every day of 1970–2100, and against the table made with GNU date."""

import calendar as oracle
import csv
from datetime import date, timedelta
from pathlib import Path

import pytest

from engine.tree.levels import (
    NodeLevel,
    days_of_week,
    fixed_from,
    is_period,
    last_day,
    month_of_week,
    week_start,
)
from engine.workspace.dates import parse_day, week_of

DAYS = [date(1970, 1, 1) + timedelta(days=n) for n in range((date(2101, 1, 1) - date(1970, 1, 1)).days)]


def test_every_day_from_1970_to_2100_lies_in_the_week_that_strftime_says() -> None:
    assert all(week_of(day) == day.strftime("%G-W%V") for day in DAYS)


def test_c3_every_week_belongs_to_the_month_of_its_thursday() -> None:
    for day in DAYS:
        thursday = day - timedelta(days=day.weekday()) + timedelta(days=3)
        assert month_of_week(week_of(day)) == thursday.strftime("%Y-%m")


@pytest.mark.sampled(4)
def test_c2_every_period_of_1970_to_2100_is_fixed_eight_days_after_its_last() -> None:
    for day in DAYS:
        sunday = day + timedelta(days=6 - day.weekday())
        month_end = day.replace(day=oracle.monthrange(day.year, day.month)[1])
        assert fixed_from(NodeLevel.DAILY, day.isoformat()) == day + timedelta(days=1)
        assert fixed_from(NodeLevel.WEEKLY, week_of(day)) == sunday + timedelta(days=8)
        assert fixed_from(NodeLevel.MONTHLY, day.isoformat()[:7]) == month_end + timedelta(days=8)
        assert fixed_from(NodeLevel.MONTHLY, day.isoformat()[:7]).day == 8


def test_c1_the_fifteenth_of_march_2026_is_the_sunday_that_ends_w11() -> None:
    assert date(2026, 3, 15).strftime("%a") == "Sun"
    assert week_of(date(2026, 3, 15)) == "2026-W11"
    assert week_of(date(2026, 3, 16)) == "2026-W12"
    assert fixed_from(NodeLevel.WEEKLY, "2026-W11") == date(2026, 3, 23)
    assert fixed_from(NodeLevel.MONTHLY, "2026-03") == date(2026, 4, 8)


def test_the_table_of_tricky_days(shared_data: Path) -> None:
    with (shared_data / "calendar" / "iso_weeks.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 50
    for row in rows:
        day = date.fromisoformat(row["date"])
        assert week_of(day) == row["iso_week"]
        assert str(week_start(row["iso_week"])) == row["week_start"]
        assert month_of_week(row["iso_week"]) == row["month_of_thursday"]
        told = {
            "week_end": last_day(NodeLevel.WEEKLY, row["iso_week"]),
            "weekly_fixed_from_next_monday_plus_7": fixed_from(NodeLevel.WEEKLY, row["iso_week"]),
            "month_end": last_day(NodeLevel.MONTHLY, row["month"]),
            "monthly_fixed_from_8th": fixed_from(NodeLevel.MONTHLY, row["month"]),
        }
        # Beyond the last day there is, the table has nothing to say.
        assert {key: row[key] for key in told if row[key]} == {key: str(told[key]) for key in told if row[key]}


def test_the_week_of_an_instant_is_that_of_the_workspaces_zone(shared_data: Path) -> None:
    with (shared_data / "calendar" / "tz_cases.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert week_of(date.fromisoformat(row["local_date"])) == row["iso_week_local"]


@pytest.mark.parametrize(
    ("level", "period", "there_is"),
    [
        (NodeLevel.DAILY, "2024-02-29", True),
        (NodeLevel.DAILY, "2026-02-29", False),
        (NodeLevel.DAILY, "2026-2-9", False),
        (NodeLevel.WEEKLY, "2020-W53", True),
        (NodeLevel.WEEKLY, "2021-W53", False),
        (NodeLevel.WEEKLY, "2021-W00", False),
        (NodeLevel.MONTHLY, "2026-12", True),
        (NodeLevel.MONTHLY, "2026-13", False),
        (NodeLevel.MONTHLY, "2026-00", False),
        (NodeLevel.ROOT, "", True),
    ],
)
def test_only_periods_that_exist_are_periods(level: NodeLevel, period: str, there_is: bool) -> None:
    assert is_period(level, period) is there_is


def test_the_end_of_the_calendar_is_no_error() -> None:
    assert fixed_from(NodeLevel.DAILY, "9999-12-31") == date.max
    assert fixed_from(NodeLevel.WEEKLY, week_of(date.max)) == date.max
    assert fixed_from(NodeLevel.MONTHLY, "9999-12") == date.max
    assert month_of_week(week_of(date.max)) == "9999-12"
    assert len(days_of_week(week_of(date.max))) == 5
    assert week_of(date.min) == "0001-W01"


def test_what_is_no_day_is_none() -> None:
    assert [parse_day(text) for text in ("2026-02-30", "20260215", "2026-02-15T", "")] == [None] * 4
