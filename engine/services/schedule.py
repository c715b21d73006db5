"""Scheduled jobs for the front ends: the dry runs of one, and of those that fell due."""

from datetime import datetime

import msgspec

from engine.plans.planning import PlanRequest
from engine.plans.status import PlanOutcome
from engine.schedule.job_runs import JobOutcome, JobRun, run_job
from engine.schedule.jobs import find_job, jobs, missed
from engine.services.open_workspace import OpenWorkspace
from engine.services.planners import SYSTEMS
from engine.services.plans import PlanService
from engine.services.repository import RepositoryService
from engine.workspace.values import Tick

CRON = "topics-cron"
"""Under which name the last look at the topics' schedules is remembered."""


class ScheduleService:
    """Runs jobs, and remembers when each last ran."""

    def __init__(self, opened: OpenWorkspace, plans: PlanService, repository: RepositoryService) -> None:
        self._opened = opened
        self._plans = plans
        self._repository = repository

    def run(self, job_id: str, tick: Tick | None = None) -> JobRun:
        """Makes the dry runs of a scheduled job; what this version lacks is skipped, and said (decision B16).

        It stays due where one of them failed: the error is in what is given back.
        """
        request = PlanRequest(scheduled=True, tick=tick)
        with self._opened.lock:
            job = find_job(job_id, jobs(self._opened.parts.policy.zone))
            run = run_job(job, lambda system: self._plans.dry_run(system, request), SYSTEMS)
            if job.id == "daily":
                run = msgspec.structs.replace(run, steps=(*run.steps, *self._tags()))
            if run.error is None:
                self._opened.record_run(job.id)
            return run

    def _tags(self) -> tuple[JobOutcome, ...]:
        """The tags of days and weeks that are over, as a step of the daily job (autopoiesis §3.4)."""
        made = self._repository.tag_days()
        said = (*(f"tagged {name}" for name in made.names), *made.problems)
        return (JobOutcome("tags", skipped=f"tags: {', '.join(said)}"),) if said else ()

    def run_due(self, tick: Tick | None = None) -> tuple[PlanOutcome, ...]:
        """Runs the jobs that fell due; each missed job runs once (decision G5). None for a supposed instant."""
        if self._opened.supposing:
            return ()
        parts = self._opened.parts
        last = parts.last_runs.all()
        due = [job for job in jobs(parts.policy.zone) if missed(job, last.get(job.id), parts.now())]
        runs = [self.run(job.id, tick) for job in due]
        for error in (run.error for run in runs if run.error is not None):
            raise error
        return tuple(outcome for run in runs for outcome in run.outcomes)

    def last_cron(self, default: datetime) -> datetime:
        """Gives the instant up to which `topics event cron` looked the last time."""
        return self._opened.parts.last_runs.all().get(CRON, default)

    def keep_cron(self, now: datetime) -> None:
        """Remembers until when it looked; nothing for a supposed instant."""
        if not self._opened.supposing:
            self._opened.parts.last_runs.record(CRON, now)
