"""What a scheduled job does, step by step (decision B16)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import Blocked, Cancelled
from engine.plans.planning import PlanOutcome
from engine.plans.system_request import System
from engine.schedule.due_times import WEEKLY, jobs
from engine.schedule.job_runs import run_job
from engine.services.engine import Engine
from engine.services.systems import SYSTEMS
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.lifecycle.test_condense import DECIDED, EMPTY, MEMORY, put


def test_every_system_has_its_planner_and_every_step_is_a_system() -> None:
    """A step that named none was skipped week after week."""
    assert list(SYSTEMS) == list(System) and all(type(planner.name) is System for planner in SYSTEMS.values())
    assert all(type(step) is System for job in jobs("UTC") for step in job.steps)


def test_g5_the_weekly_job_rolls_the_last_week_up_and_prunes_after_it(tmp_path: Path) -> None:
    put(tmp_path, MEMORY, EMPTY)
    capture(tmp_path, start(at="2026-02-16T10:00:00Z"), said(DECIDED, at="2026-02-16T10:01:00Z"), end())
    with Engine.open(tmp_path, clock=lambda: datetime(2026, 3, 1, 3, 5, tzinfo=UTC)) as console:
        run = console.schedule.run("weekly")
    assert [step.system for step in run.steps][-2:] == ["prune", "verify"] and run.error is None
    (plan,) = (one.outcome.plan for one in run.steps if one.system == "condense" and one.outcome is not None)
    assert plan is not None and MEMORY in {change.path for change in plan.changes}


def test_each_step_says_what_it_queued_or_why_it_did_nothing() -> None:
    asked: list[str] = []

    def plan(system: str) -> PlanOutcome:
        asked.append(system)
        return PlanOutcome(plan=None, reason_no_action=f"no {system}")

    run = run_job(WEEKLY, plan)
    assert asked == list(WEEKLY.steps) and run.error is None
    assert [step.skipped for step in run.steps] == [f"no {system}" for system in asked]
    assert not any(step.done for step in run.steps) and run.steps[0].told == "compact: no compact"


def test_a_step_that_fails_holds_up_none_of_the_others() -> None:
    def plan(system: str) -> PlanOutcome:
        if system == "compact":
            raise Blocked("no")
        return PlanOutcome(plan=None, reason_no_action="nothing to do")

    run = run_job(WEEKLY, plan)
    assert isinstance(run.error, Blocked) and len(run.outcomes) == len(WEEKLY.steps) - 1


def test_cancelling_ends_the_run() -> None:
    def plan(system: str) -> PlanOutcome:
        raise Cancelled("cancelled")

    with pytest.raises(Cancelled):
        run_job(WEEKLY, plan)
