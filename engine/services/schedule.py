"""Scheduled jobs for the front ends: running one, or those that are due."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from engine.errors import Cancelled, MemdeckError
from engine.extra_registry import MissingExtra
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.schedule.due_times import COMMITS, EVERY, find_job, jobs, last_of, missed
from engine.schedule.job_runs import JobOutcome, JobRun, run_job
from engine.services.note_flags import MANY_BYTES
from engine.services.open_workspace import OpenWorkspace
from engine.services.plans import PlanService
from engine.services.repository import RepositoryService
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.services.engine import Engine

UNCHANGED = "nothing changed"
CRON = "topics-cron"  # under which name the last look at the topics' schedules is remembered


class ScheduleService:
    """Runs jobs, and records when each last ran."""

    def __init__(
        self, opened: OpenWorkspace, plans: PlanService, repository: RepositoryService, services: "Engine"
    ) -> None:
        self._opened, self._plans, self._repository, self._services = opened, plans, repository, services

    def run(self, job_id: str, tick: Tick | None = None) -> JobRun:
        """Makes a job's dry runs, or commits for `commits` (B16, D34); it stays due if one fails."""
        request = PlanRequest(scheduled=True, tick=tick)
        with self._opened.lock:
            job = find_job(job_id, (*jobs(self._opened.policy.zone), COMMITS))
            if job is COMMITS:
                return self._commits()
            taken = tuple(self._taken(tick)) if job.id == "daily" else ()
            run = run_job(job, lambda system: self._plans.dry_run(system, request))
            if job.id == "daily":
                with suppress(MemdeckError):  # a count that fails costs no dry run
                    self._services.uses.lists()
                run = msgspec.structs.replace(run, steps=(*taken, *run.steps, *self._tags()))
            if run.error is None:
                self._opened.record_run(job.id)
        if job.id == "daily":
            self._judge()
        return run

    def _judge(self) -> None:
        """Judges the notes that nobody judged yet, so that no hook has to; the lock is free between two parts."""
        before, unread = 0, -1
        while unread != before:
            before, unread = unread, self._services.flags.look(MANY_BYTES).unread

    def _taken(self, tick: Tick | None) -> Iterator[JobOutcome]:
        """Imports connected tools' sessions as transcripts, without approval; its errors stop no other step."""
        if self._opened.supposing or self._opened.database.read_only:
            return
        try:
            yield from self._services.connected.take_moved(self._opened.last_runs.all().get("daily"), tick)
        except MissingExtra:
            return
        except Cancelled:
            raise
        except MemdeckError as error:
            yield JobOutcome("capture", error=error)

    def commit_due(self) -> tuple[str, ...]:
        """Commits the agent's changes half-hourly if the policy asks for it (D34); gives a line for each result."""
        git = self._opened.policy.git
        if self._opened.supposing or not (git.push or (git.commit and git.commit_others)):
            return ()
        last = self._opened.last_runs.all().get(COMMITS.id)
        if last is not None and last <= self._opened.real_clock() < last + EVERY:
            return ()
        return tuple(step.told for step in self.run(COMMITS.id).steps if step.skipped != UNCHANGED)

    def _commits(self) -> JobRun:
        """Runs the job of commits, which plans nothing and needs no approval."""
        made = self._repository.commit_others()
        policy = self._opened.policy.git
        why = UNCHANGED if policy.commit and policy.commit_others else "the policy's git.commit_others is off"
        steps = [JobOutcome("commit", done=f"{commit.commit[:12]} {commit.subject}") for commit in made.commits]
        steps += [JobOutcome("commit", skipped=line) for line in made.problems or (() if steps else (why,))]
        self._opened.record_run(COMMITS.id)
        return JobRun(COMMITS, (*steps, *self._tags(), *self._pushed()))

    def _pushed(self) -> tuple[JobOutcome, ...]:
        try:
            told = self._repository.push()
        except MemdeckError as error:
            return (JobOutcome("push", error=error),)
        return (JobOutcome("push", done=told),) if told else ()

    def _tags(self) -> tuple[JobOutcome, ...]:
        """Tags past days and weeks, as steps of the daily job (autopoiesis §3.4)."""
        made = self._repository.tag_days()
        done = [JobOutcome("tags", done=f"tagged {', '.join(made.names)}")] if made.names else []
        return (*done, *(JobOutcome("tags", skipped=line) for line in made.problems))

    def run_due(self, tick: Tick | None = None) -> tuple[PlanOutcome, ...]:
        """Runs the jobs that are due, each once however often missed (decision G5); none under a what-if time."""
        if self._opened.supposing:
            return ()
        last = self._opened.last_runs.all()
        due = [job for job in jobs(self._opened.policy.zone) if missed(job, last_of(job, last), self._opened.now())]
        runs = [self.run(job.id, tick) for job in due]
        # After all of them: one job that fails keeps no other from its turn.
        for error in (run.error for run in runs if run.error is not None):
            raise error
        return tuple(outcome for run in runs for outcome in run.outcomes)

    def last_cron(self, default: datetime) -> datetime:
        """Gives the instant up to which `topics event cron` looked last."""
        return self._opened.last_runs.all().get(CRON, default)

    def keep_cron(self, now: datetime) -> None:
        """Records until when `topics event cron` looked; nothing under a what-if time."""
        if not self._opened.supposing:
            self._opened.last_runs.record(CRON, now)
