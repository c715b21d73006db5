"""Tells which trigger fired, which is about volume, and when the weekly slot is (compactor §Hybrid Trigger Model)."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta

from engine.compactor.limits.thresholds import SEMANTIC_HARD, SEMANTIC_RISK, WEEKLY
from engine.plans.status import TriggerState

MANUAL = "manual"
"""The trigger of a run that a person asked for and no threshold did (decision A23)."""

SLOT_TIME = time(3, 0, tzinfo=UTC)
"""Every Sunday at 03:00 UTC (compactor §Time-Based Trigger)."""

_NO_VOLUME = frozenset({SEMANTIC_HARD, SEMANTIC_RISK, WEEKLY})
"""Triggers that say nothing about how much there is to compact: a shard may stay at risk for weeks (decision A25)."""
_SUNDAY = 6
"""The number of the weekly slot's day as `date.weekday` counts: Monday is 0."""
_WEEK = timedelta(days=7)
"""Between two slots of the weekly run."""


def last_slot(now: datetime) -> datetime:
    """The latest Sunday 03:00 UTC at or before `now`."""
    moment = now.astimezone(UTC)
    sunday = moment.date() - timedelta(days=(moment.weekday() - _SUNDAY) % 7)
    slot = datetime.combine(sunday, SLOT_TIME)
    # On a Sunday before 03:00 the slot of that day is still to come.
    return slot if slot <= moment else slot - _WEEK


def next_slot(now: datetime) -> datetime:
    """The first Sunday 03:00 UTC after `now`."""
    return last_slot(now) + _WEEK


def in_slot(now: datetime) -> bool:
    """Tells whether it is Sunday, 03:00 UTC or later: a timer that fires with some delay is still on time."""
    return last_slot(now).date() == now.astimezone(UTC).date()


def slot_missed(now: datetime, last_scheduled_at: datetime | None) -> bool:
    """Tells whether a slot passed since the last scheduled run; however many did, it runs once (decision G5)."""
    # Without a first scheduled run nothing was missed: installing the schedule on a Monday fires nothing.
    return last_scheduled_at is not None and last_scheduled_at < last_slot(now)


def weekly_fires(now: datetime, *, scheduled: bool, last_scheduled_at: datetime | None) -> bool:
    """The weekly trigger belongs to the schedule: no status and no manual run fires it (decision A23)."""
    return scheduled and (in_slot(now) or slot_missed(now, last_scheduled_at))


def weekly_detail(now: datetime) -> str:
    """Gives the words beside the weekly trigger."""
    return f"every Sunday 03:00 UTC, next {next_slot(now):%Y-%m-%d}"


def primary(states: Sequence[TriggerState]) -> str | None:
    """The first trigger in priority order that fired (decision A5)."""
    return next((state.id for state in states if state.fired), None)


def volume_trigger(states: Sequence[TriggerState]) -> str | None:
    """The first threshold of working or episodic memory that is met, in priority order (decision A25)."""
    return next((state.id for state in states if state.fired and state.id not in _NO_VOLUME), None)
