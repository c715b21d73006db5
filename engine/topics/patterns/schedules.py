"""Finds cron triggers that fell due, in the workspace's zone, safe at DST changes (decision G5)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from engine.topics.decision import TriggerEvidence
from engine.topics.messages import CronEvent, Event, WebhookEvent
from engine.topics.topic import AnyTrigger, CronTrigger, Topic, WebhookTrigger

_YEAR = datetime(2026, 1, 1, tzinfo=UTC)  # any instant: a schedule that is never due after it is refused


def schedule_problem(schedule: str) -> str:
    """Says why a schedule is invalid; empty if valid."""
    from cronsim import CronSim, CronSimError

    if len(schedule) > 200:
        return "the schedule is longer than 200 characters"
    if len(schedule.split()) != 5:
        return f"`{schedule}` is no schedule of five fields: minute, hour, day, month, weekday"
    try:
        due = next(CronSim(schedule, _YEAR), None)
    except CronSimError as error:
        return f"`{schedule}` is no schedule: {error}"
    return "" if due is not None else f"`{schedule}` never comes"


def fell_due(schedule: str, since: datetime, until: datetime, zone: str) -> datetime | None:
    """Returns the schedule's first instant after `since` and at or before `until`, in `zone`; else None."""
    from cronsim import CronSim

    if until <= since:
        return None
    due: datetime | None = next(CronSim(schedule, since.astimezone(ZoneInfo(zone))), None)
    return due if due is not None and due <= until else None


def happened(topics: Sequence[Topic], event: Event, zone: str) -> dict[str, tuple[TriggerEvidence, ...]]:
    """Returns the evidence by topic; a schedule that fell due repeatedly counts once (decision G5)."""
    found: dict[str, tuple[TriggerEvidence, ...]] = {}
    for topic in topics:
        evidence = tuple(one for trigger in topic.triggers if (one := _evidence(trigger, event, zone)) is not None)
        if evidence:
            found[topic.id] = evidence
    return found


def _evidence(trigger: AnyTrigger, event: Event, zone: str) -> TriggerEvidence | None:
    match trigger, event:
        case WebhookTrigger(), WebhookEvent():
            if trigger.source == event.source and trigger.event in ("", event.event):
                return trigger.evidence(f"{event.source}:{event.event}")
        case CronTrigger(), CronEvent():
            due = fell_due(trigger.schedule, event.since, event.until, zone)
            if due is not None:
                return trigger.evidence(due.isoformat())
    return None
