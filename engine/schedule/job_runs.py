"""Runs what a scheduled job asks for, one dry run after the other; none of them applies anything (decision B16)."""

from collections.abc import Callable, Container

import msgspec

from engine.errors import Cancelled, MemdeckError
from engine.plans.status import PlanOutcome
from engine.schedule.due_times import Job


class JobOutcome(msgspec.Struct, frozen=True):
    """One step of a job: what its dry run came to, or why there is none."""

    system: str
    outcome: PlanOutcome | None = None
    skipped: str = ""
    """A plain statement where this version has no such dry run."""
    error: MemdeckError | None = None


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


def run_job(job: Job, plan: Callable[[str], PlanOutcome], built: Container[str]) -> JobRun:
    """Makes every dry run of a job. One that fails holds up none of the others; `Cancelled` ends the run."""
    return JobRun(job, tuple(_run(step, plan, built) for step in job.steps))


def _run(system: str, plan: Callable[[str], PlanOutcome], built: Container[str]) -> JobOutcome:
    if system not in built:
        return JobOutcome(system, skipped=f"{system}: not built in this version, skipped")
    try:
        return JobOutcome(system, plan(system))
    except Cancelled:
        raise
    except MemdeckError as error:
        return JobOutcome(system, error=error)
