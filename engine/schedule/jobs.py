"""When a scheduled dry run is due: pure functions of the job, its last run and `now` (decision G5)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from engine.views import DueJob


class Job(msgspec.Struct, frozen=True):
    """A dry run on a clock. `cron` is read in `zone`; `system` is what `memdeck plan` is asked for."""

    id: str
    title: str
    cron: str
    zone: str
    system: str


JOBS = (Job("weekly-compact", "weekly dry run", "0 3 * * 0", "UTC", "compact"),)
"""compactor §Time-Based Trigger: every Sunday at 03:00 UTC."""


def jobs(zone: str) -> tuple[Job, ...]:
    """Every job of a workspace: the tree's day ends in the workspace's own zone, the compactor's in UTC (G5, B16)."""
    return (*JOBS, Job("daily-tree", "daily tree", "30 3 * * *", zone, "tree"))


def next_at(job: Job, after: datetime) -> datetime:
    """The job's first occurrence strictly after `after`, in UTC."""
    return _occurrence(job, after, reverse=False)


def last_at(job: Job, at: datetime) -> datetime:
    """The job's latest occurrence at or before `at`, in UTC."""
    next_minute = at.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    return _occurrence(job, next_minute, reverse=True)


def missed(job: Job, last_run: datetime | None, now: datetime) -> bool:
    """Whether an occurrence passed since `last_run`. However many did, the job runs once.

    A job that never ran has missed nothing, and a last run in the future (a clock set back) counts as now.
    """
    return last_run is not None and last_run < last_at(job, now)


def due_job(job: Job, last_run: datetime | None, now: datetime) -> DueJob:
    """When `job` runs next, and whether it is overdue."""
    overdue = missed(job, last_run, now)
    detail = f"missed {last_at(job, now):%Y-%m-%d %H:%M} UTC" if overdue else ""
    return DueJob(id=job.id, title=job.title, next_at=next_at(job, now), overdue=overdue, detail=detail)


def due_jobs(last_runs: Mapping[str, datetime], now: datetime, every: Sequence[Job] = JOBS) -> tuple[DueJob, ...]:
    """Every job, the next one first. `last_runs` gives the last run of a job by its id."""
    return tuple(sorted((due_job(job, last_runs.get(job.id), now) for job in every), key=lambda due: due.next_at))


def _occurrence(job: Job, at: datetime, *, reverse: bool) -> datetime:
    from cronsim import CronSim

    found: datetime = next(CronSim(job.cron, at.astimezone(ZoneInfo(job.zone)), reverse=reverse))
    return found.astimezone(UTC)
