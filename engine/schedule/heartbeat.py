"""Finds regular events that stopped, such as jobs, and what the machine slept through."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

import msgspec

from engine.plans.memory_status import Alarm
from engine.schedule.due_times import Job, MachineRest, last_at, last_of, next_at, why_missed
from engine.text.pattern_file import converted, toml_file

FOLLOWER = "follower watch"  # the name of `topics watch --follow`, as long as it runs
TIMES = 2  # intervals after which a thing that is silent is told


class Beat(NamedTuple):
    """An expected regular event. `last`: when it last came or was first expected; `needed`: when it last had work."""

    title: str
    last: datetime
    needed: datetime
    every: timedelta
    fix: str
    job: Job | None = None

    @property
    def stopped(self) -> bool:
        """Tells whether it did not come for twice its interval."""
        return self.needed - self.last >= TIMES * self.every


class TwinTimes(msgspec.Struct, frozen=True):
    """The instants at which another machine was last asked and last answered."""

    asked: datetime
    answered: datetime


@cache
def intervals() -> dict[str, timedelta]:
    """Gives the expected interval of each kind of event; `Damaged` for an invalid table."""
    hours = converted(toml_file(__package__, "heartbeat.toml"), dict[str, float], "engine/schedule/heartbeat.toml")
    return {kind: timedelta(hours=count) for kind, count in hours.items()}


def job_beats(every: Iterable[Job], last_runs: Mapping[str, datetime], now: datetime) -> Iterator[Beat]:
    """Yields an event for each job that ran before or whose schedule is installed."""
    for job in every:
        if (last := last_of(job, last_runs)) is not None:
            fix = f"memdeck schedule --run {job.id}; memdeck schedule --install starts it each time"
            yield Beat(job.title, last, now, next_at(job, now) - last_at(job, now), fix, job)


def twin_beats(twins: Mapping[str, TwinTimes]) -> Iterator[Beat]:
    """Yields an event for each machine of the fleet that was asked."""
    for host, times in sorted(twins.items()):
        fix = f"try: ssh {host}; memdeck fleet says what it answers"
        yield Beat(f"the machine {host}", times.answered, times.asked, intervals()["twin"], fix)


def stop_alarm(beat: Beat, now: datetime, rest: MachineRest | None) -> Alarm:
    """Gives the alarm of an event that stopped: since when, its interval, and the machine's state for a job."""
    detail = f"{beat.title}: nothing since {beat.last:%Y-%m-%d %H:%M} UTC, expected every {_words(beat.every)}"
    if beat.job is not None:
        detail += why_missed(last_at(beat.job, now), rest)
    return Alarm(id="stopped", path="", detail=detail, fix=beat.fix)


def _words(length: timedelta) -> str:
    hours = length / timedelta(hours=1)
    return f"{hours / 24:.0f} d" if hours >= 24 else f"{hours:g} h"
