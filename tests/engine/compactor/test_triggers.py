"""The weekly slot, the primary trigger, and when a run acts (compactor §Hybrid Trigger Model)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.limits.thresholds import in_slot, last_slot, next_slot, slot_missed, weekly_fires
from engine.compactor.options import CompactorHistory, CompactRequest
from tests.engine.compactor.workspace import NOW, SEEN, Workspace, days_ago, entry, episodic

MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@given(MOMENTS)
def test_the_slots_are_sundays_at_three_utc_and_stand_around_now(now: datetime) -> None:
    before, after = last_slot(now), next_slot(now)
    assert before <= now < after
    for slot in (before, after):
        assert (slot.strftime("%A %H:%M"), slot.utcoffset()) == ("Sunday 03:00", timedelta(0))


@pytest.mark.parametrize(
    ("moment", "inside"),
    [
        ("2026-03-15T02:59:59+00:00", False),
        ("2026-03-15T03:00:00+00:00", True),
        ("2026-03-15T23:59:59+00:00", True),
        ("2026-03-16T00:00:00+00:00", False),
        ("2026-03-14T03:00:00+00:00", False),
        ("2026-03-15T04:30:00+02:00", False),
        ("2026-03-16T01:00:00+02:00", True),
    ],
)
def test_the_slot_is_sunday_from_three_utc_whatever_the_offset(moment: str, inside: bool) -> None:
    assert in_slot(datetime.fromisoformat(moment)) is inside


def test_g5_a_missed_run_is_made_up_for_once() -> None:
    wednesday = NOW + timedelta(days=3)
    assert slot_missed(wednesday, NOW - timedelta(days=30))
    assert not slot_missed(wednesday, NOW)
    assert not slot_missed(wednesday, None)
    assert weekly_fires(wednesday, scheduled=True, last_scheduled_at=NOW - timedelta(days=7))
    assert not weekly_fires(wednesday, scheduled=True, last_scheduled_at=NOW + timedelta(hours=1))


def test_the_weekly_trigger_belongs_to_the_schedule() -> None:
    assert weekly_fires(NOW, scheduled=True, last_scheduled_at=None)
    assert not weekly_fires(NOW, scheduled=False, last_scheduled_at=None)


def note(age: int) -> str:
    return f"---\ndate: {days_ago(age)}\n---\nThe deploy went well.\n"


SCHEDULED = CompactRequest(scheduled=True)


def test_a4_a_scheduled_run_without_pressure_does_nothing_and_says_why() -> None:
    outcome = Workspace({"memory/working/a.md": note(8)}).plan(options=SCHEDULED)
    assert outcome.plan is None
    assert outcome.reason_no_action == "no threshold is met (1 eligible, no trigger)"
    assert "No action taken: no threshold is met" in outcome.report
    assert "Trigger: weekly (scheduled run)" in outcome.report
    assert outcome.facts["primary_trigger"] == "weekly"
    assert outcome.facts["reason_no_action"] == outcome.reason_no_action


def test_a4_a_scheduled_run_under_pressure_takes_all_that_is_eligible() -> None:
    files = {f"memory/working/{age}.md": note(age) for age in (5, 7, 8, 9, 11)}
    plan = Workspace(files).planned(options=SCHEDULED)
    assert sorted(c.path for c in plan.changes if c.path.startswith("memory/working")) == [
        "memory/working/11.md",
        "memory/working/8.md",
        "memory/working/9.md",
    ]
    assert plan.trigger == "working_age"


def test_a4_pressure_of_one_tier_takes_what_is_eligible_in_the_other() -> None:
    files = {f"memory/working/{n}.md": note(1) for n in range(11)} | {"memory/episodic/a.md": episodic(31)}
    plan = Workspace(files).planned(options=SCHEDULED)
    assert [change.path for change in plan.changes] == ["memory/episodic/a.md"]


AT_RISK = {"memory/semantic/openclaw.md": entry("Large", 850)}


def test_a25_a_shard_at_risk_is_no_pressure_on_working_and_episodic_notes() -> None:
    """Real agents: a shard stayed at 1,176 tokens for ten weeks, and each scheduled run acted for that alone."""
    outcome = Workspace({"memory/working/a.md": note(8), **AT_RISK}).plan(options=SCHEDULED)
    assert outcome.plan is None
    assert outcome.reason_no_action == (
        "semantic_risk is about appends and sharding; no threshold of working or episodic memory is met "
        "(1 eligible, no trigger)"
    )
    assert outcome.facts["primary_trigger"] == "semantic_risk" and outcome.facts["pressure"] is False


def test_a25_a_scheduled_run_acts_on_volume_and_names_it() -> None:
    plan = Workspace({"memory/working/a.md": note(11), **AT_RISK}).planned(options=SCHEDULED)
    assert (plan.trigger, plan.facts["primary_trigger"]) == ("working_age", "semantic_risk")
    assert plan.facts["risk_tier_before_extraction"] == "C"


def test_a25_what_says_that_nothing_is_eligible_names_the_volume_and_the_day() -> None:
    files = {f"memory/working/{n}.md": note(1) for n in range(11)} | AT_RISK
    for options in (SCHEDULED, CompactRequest()):
        reason = Workspace(files).plan(options=options).reason_no_action or ""
        assert reason.startswith("a threshold is met (working_files), but no working note is older")
        assert reason.endswith(f"nothing is eligible until {days_ago(-7)}")


def test_a4_pressure_without_anything_eligible_is_no_plan() -> None:
    outcome = Workspace({f"memory/working/{n}.md": note(1) for n in range(11)}).plan(options=SCHEDULED)
    assert outcome.plan is None
    assert str(outcome.reason_no_action).startswith("a threshold is met (working_files), but no working note is older")


def test_a23_a_manual_run_takes_what_is_eligible_without_pressure() -> None:
    plan = Workspace({"memory/working/a.md": note(8)}).planned()
    assert plan.trigger == "manual"


def test_a23_a_manual_run_on_sunday_is_still_manual() -> None:
    assert Workspace({"memory/working/a.md": note(8)}).planned(now=NOW).trigger == "manual"


def test_a23_a_manual_run_under_pressure_names_the_primary_trigger() -> None:
    assert Workspace({"memory/working/a.md": note(11)}).planned().trigger == "working_age"


def test_a_manual_run_with_nothing_to_do_says_so() -> None:
    outcome = Workspace({"memory/working/a.md": note(7)}).plan()
    assert outcome.plan is None
    assert outcome.reason_no_action == ("no working note is older than 7 days and no episodic file older than 30 days")


def test_g5_the_jobs_day_is_the_day_in_utc() -> None:
    """At 01:00 in Berlin on the 15th it is still the 14th in UTC: one whole day less."""
    workspace = Workspace({"memory/working/a.md": note(8)})
    berlin = timezone(timedelta(hours=2))
    assert workspace.plan(now=datetime(2026, 3, 15, 1, 0, tzinfo=berlin)).plan is None
    assert workspace.plan(now=datetime(2026, 3, 15, 2, 0, tzinfo=berlin)).plan is not None
    assert workspace.planned().zone == "UTC"


def test_a_late_timer_after_a_run_of_today_does_not_hide_pressure() -> None:
    history = CompactorHistory(applied=True, last_scheduled_at=NOW + timedelta(hours=1))
    later = NOW + timedelta(days=2)
    outcome = Workspace({"memory/working/a.md": note(11)}).plan(now=later, history=history, options=SCHEDULED)
    assert outcome.plan is not None
    assert "weekly: not met" in outcome.report
    assert SEEN.applied
