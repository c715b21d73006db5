"""When scheduled dry runs are due (decision G5)."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.plans.system_request import System
from engine.schedule.due_times import (
    INSTALLED,
    WEEKLY,
    Job,
    daily,
    due_job,
    due_jobs,
    find_job,
    jobs,
    last_at,
    missed,
    monthly,
    next_at,
)
from tests.turn import part

BERLIN = Job("daily", "daily", "30 2 * * *", "Europe/Berlin", (System.TREE,))
MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@pytest.mark.parametrize(
    ("now", "before", "after"),
    [
        ("2026-03-15T02:59:59", "2026-03-08T03:00", "2026-03-15T03:00"),
        ("2026-03-15T03:00:00", "2026-03-15T03:00", "2026-03-22T03:00"),
        ("2026-03-15T03:00:59", "2026-03-15T03:00", "2026-03-22T03:00"),
        ("2026-12-31T12:00:00", "2026-12-27T03:00", "2027-01-03T03:00"),
    ],
)
def test_the_weekly_dry_run_is_sunday_three_utc(now: str, before: str, after: str) -> None:
    """compactor §Time-Based Trigger; decision C1: 2026-03-15 is a Sunday."""
    at = _utc(now)
    assert (last_at(WEEKLY, at), next_at(WEEKLY, at)) == (_utc(before), _utc(after))


@given(MOMENTS)
def test_weekly_occurrences_equal_an_oracle(now: datetime) -> None:
    sunday = now - timedelta(days=now.isoweekday() % 7)
    latest = sunday.replace(hour=3, minute=0, second=0, microsecond=0)
    latest -= timedelta(weeks=latest > now)
    assert (last_at(WEEKLY, now), next_at(WEEKLY, now)) == (latest, latest + timedelta(weeks=1))


@given(MOMENTS, st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]))
def test_g5_a_daily_job_runs_once_a_day_across_clock_changes(now: datetime, zone: str) -> None:
    """Both directions of DST: never skipped, never twice for one local day."""
    job = Job("daily", "daily", "30 2 * * *", zone, (System.TREE,))
    runs = [next_at(job, now)]
    for _ in range(3):
        runs.append(next_at(job, runs[-1]))
    days = [run.astimezone(ZoneInfo(zone)).date() for run in runs]
    assert days == [days[0] + timedelta(days=n) for n in range(4)]
    assert last_at(job, runs[1]) == runs[1]


def test_g5_a_time_that_does_not_exist_runs_at_the_next_that_does() -> None:
    assert next_at(BERLIN, _utc("2026-03-28T12:00")) == _utc("2026-03-29T01:00")


def test_g5_after_downtime_a_missed_job_is_overdue_once() -> None:
    now = _utc("2026-03-20T12:00")
    assert missed(WEEKLY, _utc("2026-01-02T00:00"), now)
    assert not missed(WEEKLY, now, now)
    assert not missed(WEEKLY, _utc("2026-03-15T03:00"), now)


def test_a_job_that_never_ran_has_missed_nothing() -> None:
    assert not missed(WEEKLY, None, _utc("2026-03-20T12:00"))


def test_a_clock_set_back_does_not_make_a_job_overdue() -> None:
    assert not missed(WEEKLY, _utc("2030-01-01T00:00"), _utc("2026-03-20T12:00"))


def test_due_jobs_say_what_was_missed() -> None:
    now = _utc("2026-03-20T12:00")
    (due,) = due_jobs({"weekly": _utc("2026-03-01T12:00")}, now, (WEEKLY,))
    assert due == due_job(WEEKLY, _utc("2026-03-01T12:00"), now)
    assert due.overdue and "2026-03-15 03:00 UTC" in due.detail
    assert due.next_at == _utc("2026-03-22T03:00")
    assert due_jobs({INSTALLED: _utc("2026-03-01T12:00")}, now, (WEEKLY,)) == (due,), "installed, and never started"


def test_b16_the_schedule_runs_its_steps_by_day_week_and_month() -> None:
    assert {job.id: job.steps for job in jobs("UTC")} == {
        "daily": ("flush", "tree", "condense"),
        "weekly": ("compact", "tree", "condense", "prune", "verify"),
        "monthly": ("distill", "archive"),
    }
    due = {job.id: job for job in due_jobs({}, _utc("2026-03-20T12:00"), jobs("Asia/Kolkata"))}
    assert {name: one.runs for name, one in due.items()} == {job.id: job.steps for job in jobs("UTC")}
    assert due["daily"].next_at == _utc("2026-03-20T23:00"), "half past four in Kolkata"
    with pytest.raises(UsageError, match="daily, weekly, monthly"):
        find_job("hourly", jobs("UTC"))


@pytest.mark.sampled(1)
def test_g5_the_daily_time_exists_exactly_once_a_day_in_every_zone() -> None:
    """A line of a crontab that waits for a minute which a clock change skips would not run on that day at all."""
    for name in part(sorted(available_timezones())):
        zone = ZoneInfo(name)
        for day in range(4 * 366):
            at = datetime(2026, 1, 1, 4, 30) + timedelta(days=day)
            first, second = (at.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
            assert first.utcoffset() == second.utcoffset(), (name, at)
        assert next_at(daily(name), _utc("2026-03-01T00:00")).astimezone(zone).strftime("%H:%M") == "04:30"
        assert next_at(monthly(name), _utc("2026-03-03T00:00")).astimezone(zone).strftime("%d %H:%M") == "01 04:45"


@given(MOMENTS, st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"]))
def test_g5_the_monthly_job_runs_once_a_month_in_its_zone(now: datetime, zone: str) -> None:
    job = monthly(zone)
    first = next_at(job, now)
    second = next_at(job, first)
    days = [run.astimezone(ZoneInfo(zone)) for run in (first, second)]
    assert [day.day for day in days] == [1, 1] and 27 <= (second - first).days <= 31
    assert last_at(job, second) == second and last_at(job, second - timedelta(minutes=1)) == first


def test_b16_g5_after_months_of_downtime_the_monthly_job_is_missed_once() -> None:
    job = monthly("Europe/Berlin")
    now = _utc("2026-03-01T03:45")  # 04:45 in Berlin
    assert missed(job, _utc("2025-11-20T00:00"), now) and not missed(job, now, now)
    assert not missed(job, _utc("2026-02-01T03:45"), now - timedelta(minutes=1))
    assert not missed(job, None, now)
    assert next_at(job, now) == _utc("2026-04-01T02:45"), "summer time has begun"


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
