"""What a scheduled job does, step by step (decision B16)."""

import pytest

from engine.errors import Blocked, Cancelled
from engine.plans.status import PlanOutcome
from engine.schedule.due_times import WEEKLY
from engine.schedule.job_runs import run_job

BUILT = ("compact", "tree")


def test_what_is_not_built_is_skipped_with_a_plain_statement() -> None:
    asked: list[str] = []

    def plan(system: str) -> PlanOutcome:
        asked.append(system)
        return PlanOutcome(plan=None, reason_no_action=system)

    run = run_job(WEEKLY, plan, BUILT)
    assert asked == ["compact", "tree"] and run.error is None
    assert [outcome.reason_no_action for outcome in run.outcomes] == ["compact", "tree"]
    assert run.steps[2].skipped == "rollup: not built in this version, skipped"


def test_a_step_that_fails_holds_up_none_of_the_others() -> None:
    def plan(system: str) -> PlanOutcome:
        if system == "compact":
            raise Blocked("no")
        return PlanOutcome(plan=None, reason_no_action="nothing to do")

    run = run_job(WEEKLY, plan, BUILT)
    assert isinstance(run.error, Blocked) and len(run.outcomes) == 1


def test_cancelling_ends_the_run() -> None:
    def plan(system: str) -> PlanOutcome:
        raise Cancelled("cancelled")

    with pytest.raises(Cancelled):
        run_job(WEEKLY, plan, BUILT)
