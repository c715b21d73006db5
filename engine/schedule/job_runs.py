"""Runs the dry runs of a scheduled job one after the other and records when; applies nothing (decision B16)."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from engine.errors import Cancelled, Damaged, MemdeckError, Refused
from engine.plans.planning import PlanOutcome
from engine.plans.system_request import System
from engine.schedule.due_times import Job
from engine.state.database import StateDatabase
from engine.state.table import Instant, StateTable, Table


class LastRuns:
    """The last run of each job. Where they cannot be read there are none: a dry run too many does no harm."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.JOB_RUNS)

    def all(self) -> dict[str, datetime]:
        """Gives the instant of each job's last run by its id, in UTC."""
        return self._table.values(Instant)

    def record(self, job: str, at: datetime) -> None:
        """Records that `job` ran at `at`. Where the state cannot be written the job stays due."""
        self._table.keep(job, msgspec.json.encode(at.astimezone(UTC)))

    def forget(self, job: str) -> None:
        """Removes the last run of a job that is no longer expected."""
        with suppress(Damaged, Refused), self._table.change() as rows:
            rows.drop(job)


class JobOutcome(msgspec.Struct, frozen=True):
    """One step of a job: its dry run's outcome, what it did without a plan, why it did nothing, or its error."""

    system: str
    outcome: PlanOutcome | None = None
    done: str = ""
    skipped: str = ""
    error: MemdeckError | None = None

    @property
    def told(self) -> str:
        """The step in one line: its queued plans, what it did, why it did nothing, or its error."""
        if self.error is not None:
            return f"{self.system}: {self.error.line()}"
        return f"{self.system}: {self.done or self.skipped}"


class JobRun(msgspec.Struct, frozen=True):
    """All steps of a job that ran, in order."""

    job: Job
    steps: tuple[JobOutcome, ...]

    @property
    def outcomes(self) -> tuple[PlanOutcome, ...]:
        return tuple(step.outcome for step in self.steps if step.outcome is not None)

    @property
    def error(self) -> MemdeckError | None:
        """The first step's error; None without errors. The other steps ran all the same."""
        return next((step.error for step in self.steps if step.error is not None), None)


def run_job(job: Job, plan: Callable[[System], PlanOutcome]) -> JobRun:
    """Runs every dry run of a job, also after one that fails; `Cancelled` ends the job."""
    return JobRun(job, tuple(_run(step, plan) for step in job.steps))


def _run(system: System, plan: Callable[[System], PlanOutcome]) -> JobOutcome:
    try:
        outcome = plan(system)
    except Cancelled:
        raise
    except MemdeckError as error:
        return JobOutcome(system, error=error)
    return planned(system, outcome)


def planned(system: str, outcome: PlanOutcome) -> JobOutcome:
    """Gives the step of a dry run that ended without an error."""
    if queued := ", ".join(made.id for made in (outcome.plan, *outcome.also) if made is not None):
        return JobOutcome(system, outcome, done=f"queued {queued}")
    return JobOutcome(system, outcome, skipped=outcome.reason_no_action or "nothing to do")
