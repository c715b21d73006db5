"""The half of the one door that looks back and ahead."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import Blocked, MemdeckError, Refused, Stale, UsageError
from engine.plans.plan import Plan, PlanState
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
REAL = datetime(2026, 3, 12, 9, 0, tzinfo=UTC)
MINE = "Title: Mine\nContext: From my own head.\nDurable Insight: Queues are drained before migrations.\n"
OLD = """---
source-date: 2026-01-01
---
# Compiled: old.md
## Summary
- a migration
## Decisions
(none)
## Extracted Insights
- Always drain queues before any schema migration, because jobs in flight are lost
"""


class Clock:
    at = REAL

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "agent"
    for day in range(1, 13):
        write(made, f"memory/working/2026-02-{day:02}-note.md", f"# Day {day}\n\n- We decided to keep queue {day}.\n")
    write(made, "memory/episodic/old.md", OLD)
    return made


def write(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def console(folder: Path, clock: Clock) -> Iterator[Engine]:
    with Engine.open(folder, clock=clock) as made:
        yield made


def planned(console: Engine) -> Plan:
    plan = console.plans.make("compact").plan
    assert plan is not None
    return plan


def test_a_supposed_instant_needs_no_reopening_and_is_marked_g18(console: Engine) -> None:
    assert not console.simulated
    console.suppose(NOW)
    status = console.status.read()
    assert (status.now, status.simulated_clock, console.simulated) == (NOW, True, True)
    assert status.memory_tiers.working.oldest_days == 42
    plan = planned(console)
    assert plan.simulated_clock and plan.now == NOW
    console.suppose(None)
    assert not console.status.read().simulated_clock and not console.simulated
    with pytest.raises(UsageError, match="offset"):
        console.suppose(datetime(2026, 3, 15))


def test_nothing_runs_by_itself_and_nothing_is_recorded_for_a_supposed_instant(console: Engine, clock: Clock) -> None:
    console.suppose(NOW + timedelta(days=60))
    assert console.schedule.run_due() == ()
    console.plans.make("compact", PlanRequest(scheduled=True))
    console.status.read()
    assert console._opened.last_runs.all() == {}
    assert console.status._trend_log.samples() == ()


def test_a_what_if_console_goes_back_to_its_own_instant(folder: Path) -> None:
    with Engine.open(folder, now=NOW) as console:
        console.suppose(NOW + timedelta(days=7))
        console.suppose(None)
        assert console.now() == NOW and console.simulated


def test_a_plan_of_a_supposed_instant_applies_under_no_other_g18(console: Engine) -> None:
    console.suppose(NOW)
    plan = planned(console)
    console.suppose(None)
    with pytest.raises(MemdeckError, match="what-if"):
        console.entries.reword(plan.id, {1: MINE})


def test_each_look_takes_a_sample_when_one_is_due(console: Engine, clock: Clock, folder: Path) -> None:
    trends = console.status.trends()
    for day in range(6):
        clock.at = REAL + timedelta(days=day)
        write(folder, f"memory/working/2026-03-{day + 12}-new.md", "# New\n")
        trends = console.status.trends()
    files = {trend.id: trend for trend in trends}["working.files"]
    assert files.value == 18 and len(files.points) >= 6
    assert files.forecast is not None and round(files.forecast.per_week) == 7


def test_a_course_ends_at_the_instant_of_its_status(console: Engine) -> None:
    status = console.status.read()
    assert {trend.points[-1][0] for trend in console.status.trends(status)} == {status.now}


def test_under_a_supposed_instant_a_trend_is_what_was_known_until_now(
    console: Engine, clock: Clock, folder: Path
) -> None:
    for day in range(6):
        clock.at = REAL + timedelta(days=day)
        console.status.read()
    before = {trend.id: trend for trend in console.status.trends()}["working.oldest"]
    console.suppose(NOW + timedelta(days=60))
    after = {trend.id: trend for trend in console.status.trends()}["working.oldest"]
    assert after.value == before.value + 58, "the gauge as of then"
    assert {value for _, value in after.points} <= {value for _, value in before.points}
    assert after.forecast is not None and before.forecast is not None
    assert after.forecast.per_week == before.forecast.per_week


def test_since_looked_goes_from_look_to_look(console: Engine, folder: Path) -> None:
    assert console.review.since_looked(look=True).looked_at is None
    at = console.review.looked()
    write(folder, "memory/working/2026-03-12-new.md", "# New\n")
    since = console.review.since_looked(look=True)
    assert since.looked_at == at
    assert [(change.path, change.did) for change in since.changes] == [("memory/working/2026-03-12-new.md", "added")]
    assert [diff.added for diff in console.changes.agent_diffs(since.changes)] == [1]
    console.review.looked()
    assert console.review.since_looked().changes == ()


def test_a_snoozed_plan_says_so_in_the_queue_and_stays_what_it_is(console: Engine, clock: Clock) -> None:
    plan = planned(console)
    console.queue.snooze(plan.id[-4:], clock.at + timedelta(hours=2))
    (entry,) = console.plans.queue()
    assert entry.snoozed_until is not None and entry.state is PlanState.PENDING and entry.digest == plan.digest
    clock.at += timedelta(hours=3)
    assert console.plans.queue()[0].snoozed_until is None
    with pytest.raises(UsageError):
        console.queue.snooze("p-1", clock.at)


def test_an_entry_in_the_operators_words_makes_a_new_plan_a15(console: Engine, clock: Clock) -> None:
    old = planned(console)
    (entry,) = console.entries.of_plan(old)
    assert entry.text is not None and console.entries.problems(entry.text) == ()
    clock.at += timedelta(days=2)
    new = console.entries.reword(old.id, {1: MINE}).plan
    assert new is not None and new.now == old.now, "for the same instant, so that numbers stay"
    assert "Title: Mine" in getattr(new.changes[0], "content", "")
    states = {entry.id: entry.state for entry in console.plans.queue()}
    assert states == {old.id: PlanState.SUPERSEDED, new.id: PlanState.PENDING}
    routed = console.entries.reword(new.id, routes={1: "memory/semantic/queues.md"}).plan
    assert routed is not None and routed.changes[0].path == "memory/semantic/queues.md"
    assert "Title: Mine" in getattr(routed.changes[0], "content", ""), "the earlier edit is kept"


def test_what_may_not_be_written_makes_no_plan(console: Engine) -> None:
    plan = planned(console)
    for text in ("", "Title: only\n", MINE.replace("Mine", "APPROVED"), MINE + MINE):
        assert console.entries.problems(text)
        with pytest.raises(Blocked):
            console.entries.reword(plan.id, {1: text})
    with pytest.raises(UsageError):
        console.entries.reword(plan.id, {7: MINE})
    assert console.entries.route_problem("memory/working/x.md")
    with pytest.raises(UsageError):
        console.entries.reword(plan.id, routes={1: "memory/working/x.md"})
    assert [entry.state for entry in console.plans.queue()] == [PlanState.PENDING]


def test_a_plan_that_is_stale_or_over_is_not_reworded_g10(console: Engine, folder: Path) -> None:
    plan = planned(console)
    write(folder, "memory/episodic/old.md", OLD + "- more\n")
    with pytest.raises(Stale, match=r"old\.md"):
        console.entries.reword(plan.id, {1: MINE})
    console.plans.reject(plan.id, "no")
    with pytest.raises(UsageError, match="rejected"):
        console.entries.reword(plan.id, {1: MINE})


def test_a_similar_entry_is_shown_beside_the_new_one_a14(console: Engine, folder: Path) -> None:
    write(folder, "memory/semantic/openclaw.md", "Title: Mine\nContext: c\nDurable Insight: d\n")
    plan = console.entries.reword(planned(console).id, {1: MINE}).plan
    assert plan is not None
    (pair,) = console.entries.similar(plan)
    assert pair.other_text.endswith("Durable Insight: d") and pair.text.startswith("Title: Mine")
    assert [found.other.title for found in console.entries.similar_titles(MINE)] == ["Mine"]


def test_every_dry_run_has_a_page_and_two_can_be_compared(console: Engine, folder: Path) -> None:
    first = planned(console)
    write(folder, "memory/working/2026-02-20-more.md", "# More\n\n- We decided to keep it.\n")
    second = planned(console)
    found = console.review.compare_reports(first.id, second.id)
    assert "memory/working/2026-02-20-more.md" in [change.path for change in found.added]
    assert console.review.report(second.id).text == second.report
    outcome = console.plans.make("tree")
    assert [entry.id for entry in console.review.reports()][-2:] == [second.id, first.id]
    if outcome.plan is None:
        (run,) = [entry for entry in console.review.reports() if entry.id.startswith("r-")]
        assert run.reason == outcome.reason_no_action and console.review.report(run.id).text == outcome.report
        with pytest.raises(UsageError, match="same system"):
            console.review.compare_reports(first.id, run.id)


def test_kept_is_empty_before_anything_was_done(console: Engine) -> None:
    found = console.history.kept()
    assert (found.displaced, found.held, found.problems) == ((), (), ())


def test_a_state_folder_that_cannot_be_written_costs_trends_and_no_status(
    console: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    def full_database(*_: object) -> bool:
        raise Refused("No space left on device")

    monkeypatch.setattr(console.status._trend_log, "record", full_database)
    assert console.status.read().memory_tiers.working.files == 12
    monkeypatch.setattr(console.changes._lookout.store, "look", full)
    with pytest.raises(MemdeckError, match="No space left"):
        console.review.looked()


def test_the_pulse_differs_when_a_plan_is_filed_or_moved_and_only_then(console: Engine, folder: Path) -> None:
    console.status.read()
    before = console.status.pulse()
    write(folder, "memory/working/2026-02-13-note.md", "# Day 13\n")
    console.status.read()
    assert console.status.pulse() == before
    plan = planned(console)
    filed = console.status.pulse()
    assert filed != before
    console.plans.reject(plan.id, "not now")
    assert console.status.pulse() != filed
