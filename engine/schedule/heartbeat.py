"""Tells what stopped: signs of life that are expected, each with its interval, and what a machine slept through."""

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
    """A sign of life. `last`: when it came, or since when it is expected; `needed`: the newest instant at which there
    was work for it, which is now for what goes by the clock."""

    title: str
    last: datetime
    needed: datetime
    every: timedelta
    fix: str
    job: Job | None = None

    @property
    def stopped(self) -> bool:
        """Tells whether it is silent for twice its interval."""
        return self.needed - self.last >= TIMES * self.every


class TwinTimes(msgspec.Struct, frozen=True):
    """The instants at which another machine was asked last, and at which it answered last."""

    asked: datetime
    answered: datetime


@cache
def intervals() -> dict[str, timedelta]:
    """The interval of each kind of thing; `Damaged` where the table is not as it should be."""
    hours = converted(toml_file(__package__, "heartbeat.toml"), dict[str, float], "engine/schedule/heartbeat.toml")
    return {kind: timedelta(hours=count) for kind, count in hours.items()}


def job_beats(every: Iterable[Job], last_runs: Mapping[str, datetime], now: datetime) -> Iterator[Beat]:
    """The jobs that ran before, and those that never did although the schedule is installed."""
    for job in every:
        if (last := last_of(job, last_runs)) is not None:
            fix = f"memdeck schedule --run {job.id}; memdeck schedule --install starts it each time"
            yield Beat(job.title, last, now, next_at(job, now) - last_at(job, now), fix, job)


def twin_beats(twins: Mapping[str, TwinTimes]) -> Iterator[Beat]:
    """The machines of the fleet, each as it was asked."""
    for host, times in sorted(twins.items()):
        fix = f"try: ssh {host}; memdeck fleet says what it answers"
        yield Beat(f"the machine {host}", times.answered, times.asked, intervals()["twin"], fix)


def stop_alarm(beat: Beat, now: datetime, rest: MachineRest | None) -> Alarm:
    """Says since when it is silent, how often it is expected, and of a job what the machine did meanwhile."""
    detail = f"{beat.title}: nothing since {beat.last:%Y-%m-%d %H:%M} UTC, expected every {_words(beat.every)}"
    if beat.job is not None:
        detail += why_missed(last_at(beat.job, now), rest)
    return Alarm(id="stopped", path="", detail=detail, fix=beat.fix)


def _words(length: timedelta) -> str:
    hours = length / timedelta(hours=1)
    return f"{hours / 24:.0f} d" if hours >= 24 else f"{hours:g} h"
