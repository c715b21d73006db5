"""Computes when a scheduled dry run is due: pure functions of the job, its last run and `now` (decisions G5, B16)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from engine.errors import UsageError
from engine.plans.memory_status import DueJob
from engine.plans.system_request import System


class Job(msgspec.Struct, frozen=True):
    """The dry runs of one schedule. `cron` is read in `zone`; `steps` are the systems that plan, in order."""

    id: str
    title: str
    cron: str
    zone: str
    steps: tuple[System, ...]


_WEEKLY = (System.COMPACT, System.TREE, System.CONDENSE, System.PRUNE, System.VERIFY)
"""Decision B16; rollup is part of condense, and prune comes after condense (G5)."""
WEEKLY = Job("weekly", "weekly dry run", "0 3 * * 0", "UTC", _WEEKLY)
"""compactor §Time-Based Trigger: every Sunday at 03:00 UTC."""


def daily(zone: str) -> Job:
    """Gives the daily job, in the workspace's zone (G5, B16). 04:30 exists once a day whatever clocks do."""
    return Job("daily", "daily dry run", "30 4 * * *", zone, (System.FLUSH, System.TREE, System.CONDENSE))


def monthly(zone: str) -> Job:
    """Gives the job of each month's first day, in the workspace's zone, after the daily one (decisions G5, B16)."""
    return Job("monthly", "monthly dry run", "45 4 1 * *", zone, (System.DISTILL, System.ARCHIVE))


COMMITS = Job("commits", "commits of the agent's changes", "*/30 * * * *", "UTC", ())
"""Commits the agent's changes each half hour if `git.commit_others` or `git.push` says so (D34); plans nothing."""
EVERY = timedelta(minutes=30)
"""The time between two commits while a console is open, as in the job's cron line (decision D34)."""


def jobs(zone: str) -> tuple[Job, ...]:
    return (daily(zone), WEEKLY, monthly(zone))


def find_job(job_id: str, every: Sequence[Job]) -> Job:
    """Gives the job with this id; `UsageError` names the existing ones."""
    for job in every:
        if job.id == job_id:
            return job
    raise UsageError("there is no such job", where=job_id, hint=f"one of: {', '.join(job.id for job in every)}")


def next_at(job: Job, after: datetime) -> datetime:
    """Gives the first instant after `after` at which the job is due, in UTC."""
    return _occurrence(job, after, reverse=False)


def last_at(job: Job, at: datetime) -> datetime:
    """Gives the last instant up to `at` at which the job was due, in UTC."""
    # The search goes strictly before, and `at` itself may be an occurrence.
    next_minute = at.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    return _occurrence(job, next_minute, reverse=True)


INSTALLED = "schedule"  # the name under which it is remembered when the schedule was installed: from then on jobs run


def last_of(job: Job, last_runs: Mapping[str, datetime]) -> datetime | None:
    """Gives when a job last ran; when the schedule was installed if the job never ran; else None."""
    return last_runs.get(job.id, last_runs.get(INSTALLED))


def missed(job: Job, last_run: datetime | None, now: datetime) -> bool:
    """Tells whether the job was due since `last_run`: not if it never ran; a future run counts as now."""
    # One occurrence is looked for, not each that passed: after a week off the daily run runs once (decision G5).
    return last_run is not None and last_run < last_at(job, now)


class MachineRest(NamedTuple):
    """The instant at which the machine started, and how long it slept since."""

    up_since: datetime
    slept: timedelta


_SHORT = timedelta(minutes=5)  # a sleep that is not told: clocks of the system differ by a little


def why_missed(at: datetime, rest: MachineRest | None) -> str:
    """Gives the reason why a run was missed: the machine's state at that time; empty where it is unknown."""
    if rest is None:
        return ""
    since = f"{rest.up_since:%Y-%m-%d %H:%M} UTC"
    if at < rest.up_since:
        return f": the machine was off or asleep, it is up since {since}"
    if rest.slept > _SHORT:
        return f": the machine slept {rest.slept / timedelta(hours=1):.1f} h since {since}"
    return f": the machine has not slept since {since}, so the scheduler did not start it"


def due_job(job: Job, last_run: datetime | None, now: datetime, rest: MachineRest | None = None) -> DueJob:
    """Computes the next run of `job` and whether one was missed, with the machine's state at that time."""
    overdue = missed(job, last_run, now)
    at = last_at(job, now)
    detail = f"missed {at:%Y-%m-%d %H:%M} UTC{why_missed(at, rest)}" if overdue else ""
    return DueJob(id=job.id, title=job.title, next_at=next_at(job, now), overdue=overdue, detail=detail, runs=job.steps)


def due_jobs(
    last_runs: Mapping[str, datetime], now: datetime, every: Sequence[Job], rest: MachineRest | None = None
) -> tuple[DueJob, ...]:
    """Gives every job, the next one first. `last_runs` has each job's last run by its id."""
    found = (due_job(job, last_of(job, last_runs), now, rest) for job in every)
    return tuple(sorted(found, key=lambda due: due.next_at))


def _occurrence(job: Job, at: datetime, *, reverse: bool) -> datetime:
    from cronsim import CronSim

    occurrence: datetime = next(CronSim(job.cron, at.astimezone(ZoneInfo(job.zone)), reverse=reverse))
    return occurrence.astimezone(UTC)
