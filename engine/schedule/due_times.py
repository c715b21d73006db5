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
    """Dry runs on a clock. `cron` is read in `zone`; `steps` are the systems that plan, in order."""

    id: str
    title: str
    cron: str
    zone: str
    steps: tuple[System, ...]


_WEEKLY = (System.COMPACT, System.TREE, System.CONDENSE, System.PRUNE, System.VERIFY)
"""Decision B16; the rollup is part of condense, and prune comes after it (G5)."""
WEEKLY = Job("weekly", "weekly dry run", "0 3 * * 0", "UTC", _WEEKLY)
"""compactor §Time-Based Trigger: every Sunday at 03:00 UTC."""


def daily(zone: str) -> Job:
    """Every day in the workspace's zone, since that is where the tree's day ends (decisions G5, B16). Half past four,
    because it exists exactly once a day in every zone, whatever its clock changes."""
    return Job("daily", "daily dry run", "30 4 * * *", zone, (System.FLUSH, System.TREE, System.CONDENSE))


def monthly(zone: str) -> Job:
    """The first of each month in the workspace's zone, after the daily run (decisions G5, B16)."""
    return Job("monthly", "monthly dry run", "45 4 1 * *", zone, (System.DISTILL, System.ARCHIVE))


COMMITS = Job("commits", "commits of the agent's changes", "*/30 * * * *", "UTC", ())
"""Every half hour, where the policy's `git.commit_others` or `git.push` says so (decision D34). It plans nothing."""
EVERY = timedelta(minutes=30)
"""The time between two commits of an open console, as the job's own line says (decision D34)."""


def jobs(zone: str) -> tuple[Job, ...]:
    """Every job of a workspace."""
    return (daily(zone), WEEKLY, monthly(zone))


def find_job(job_id: str, every: Sequence[Job]) -> Job:
    """The job of that id; `UsageError` names those that exist."""
    for job in every:
        if job.id == job_id:
            return job
    raise UsageError("there is no such job", where=job_id, hint=f"one of: {', '.join(job.id for job in every)}")


def next_at(job: Job, after: datetime) -> datetime:
    """The job's first occurrence strictly after `after`, in UTC."""
    return _occurrence(job, after, reverse=False)


def last_at(job: Job, at: datetime) -> datetime:
    """The job's latest occurrence at or before `at`, in UTC."""
    # The search goes strictly before, and `at` itself may be an occurrence.
    next_minute = at.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    return _occurrence(job, next_minute, reverse=True)


INSTALLED = "schedule"  # the name under which it is remembered when the schedule was installed: from then on jobs run


def last_of(job: Job, last_runs: Mapping[str, datetime]) -> datetime | None:
    """Gives when a job ran last; of one that never ran, when the schedule was installed that is to start it."""
    return last_runs.get(job.id, last_runs.get(INSTALLED))


def missed(job: Job, last_run: datetime | None, now: datetime) -> bool:
    """Tells whether an occurrence passed since `last_run`. However many did, the job runs once. A job that never ran
    has missed nothing, and a last run in the future (a clock set back) counts as now."""
    # One occurrence is looked for, not each that passed: after a week off the daily run runs once (decision G5).
    return last_run is not None and last_run < last_at(job, now)


class MachineRest(NamedTuple):
    """The instant since which the machine is up, and how long of that it slept."""

    up_since: datetime
    slept: timedelta


_SHORT = timedelta(minutes=5)  # a sleep that is not told: clocks of the system differ by a little


def why_missed(at: datetime, rest: MachineRest | None) -> str:
    """Says what the machine did when a run was due; empty where that is not known."""
    if rest is None:
        return ""
    since = f"{rest.up_since:%Y-%m-%d %H:%M} UTC"
    if at < rest.up_since:
        return f": the machine was off or asleep, it is up since {since}"
    if rest.slept > _SHORT:
        return f": the machine slept {rest.slept / timedelta(hours=1):.1f} h since {since}"
    return f": the machine has not slept since {since}, so the scheduler did not start it"


def due_job(job: Job, last_run: datetime | None, now: datetime, rest: MachineRest | None = None) -> DueJob:
    """Computes the next run of `job`, and if it is overdue; what the machine did meanwhile, where that is known."""
    overdue = missed(job, last_run, now)
    at = last_at(job, now)
    detail = f"missed {at:%Y-%m-%d %H:%M} UTC{why_missed(at, rest)}" if overdue else ""
    return DueJob(id=job.id, title=job.title, next_at=next_at(job, now), overdue=overdue, detail=detail, runs=job.steps)


def due_jobs(
    last_runs: Mapping[str, datetime], now: datetime, every: Sequence[Job], rest: MachineRest | None = None
) -> tuple[DueJob, ...]:
    """Every job, the next one first. `last_runs` gives the last run of a job by its id."""
    found = (due_job(job, last_of(job, last_runs), now, rest) for job in every)
    return tuple(sorted(found, key=lambda due: due.next_at))


def _occurrence(job: Job, at: datetime, *, reverse: bool) -> datetime:
    from cronsim import CronSim

    found: datetime = next(CronSim(job.cron, at.astimezone(ZoneInfo(job.zone)), reverse=reverse))
    return found.astimezone(UTC)
