"""Runs a scheduled job's dry runs, one after the other, and keeps when; none applies anything (decision B16)."""

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
    """Instants by job id. Where they cannot be read there are none: a dry run too many does no harm."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.JOB_RUNS)

    def all(self) -> dict[str, datetime]:
        """The last run of each job, in UTC."""
        return self._table.values(Instant)

    def record(self, job: str, at: datetime) -> None:
        """Notes that `job` ran at `at`. Where nothing can be kept the job stays due, and the status says why."""
        self._table.keep(job, msgspec.json.encode(at.astimezone(UTC)))

    def forget(self, job: str) -> None:
        """`job` is not expected any more."""
        with suppress(Damaged, Refused), self._table.change() as rows:
            rows.drop(job)


class JobOutcome(msgspec.Struct, frozen=True):
    """One step of a job: what its dry run came to, what it did that is no plan, or why it did nothing."""

    system: str
    outcome: PlanOutcome | None = None
    done: str = ""
    skipped: str = ""
    error: MemdeckError | None = None

    @property
    def told(self) -> str:
        """The step in one line: the plans that it queued, what it did, why it did nothing, or its error."""
        if self.error is not None:
            return f"{self.system}: {self.error.line()}"
        return f"{self.system}: {self.done or self.skipped}"


class JobRun(msgspec.Struct, frozen=True):
    """Everything that a job did, in order."""

    job: Job
    steps: tuple[JobOutcome, ...]

    @property
    def outcomes(self) -> tuple[PlanOutcome, ...]:
        return tuple(step.outcome for step in self.steps if step.outcome is not None)

    @property
    def error(self) -> MemdeckError | None:
        """The first error, if any; the other steps ran all the same."""
        return next((step.error for step in self.steps if step.error is not None), None)


def run_job(job: Job, plan: Callable[[System], PlanOutcome]) -> JobRun:
    """Makes every dry run of a job. One that fails holds up none of the others; `Cancelled` ends the run."""
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
    """The step of a dry run that ended."""
    if queued := ", ".join(made.id for made in (outcome.plan, *outcome.also) if made is not None):
        return JobOutcome(system, outcome, done=f"queued {queued}")
    return JobOutcome(system, outcome, skipped=outcome.reason_no_action or "nothing to do")
