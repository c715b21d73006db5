"""Finds the topics that a webhook or the passing of time names (autopoiesis §4.4): exact, nothing is guessed."""

from collections.abc import Sequence

from engine.topics.decision import TriggerEvidence
from engine.topics.messages import CronEvent, Event, WebhookEvent
from engine.topics.patterns.schedules import fell_due
from engine.topics.topic import Topic
from engine.topics.trigger import AnyTrigger, CronTrigger, WebhookTrigger


def happened(topics: Sequence[Topic], event: Event, zone: str) -> dict[str, tuple[TriggerEvidence, ...]]:
    """The evidence by topic. A schedule that fell due more than once counts once (decision G5)."""
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
                return _found(trigger, f"{event.source}:{event.event}")
        case CronTrigger(), CronEvent():
            due = fell_due(trigger.schedule, event.since, event.until, zone)
            if due is not None:
                return _found(trigger, due.isoformat())
    return None


def _found(trigger: AnyTrigger, what: str) -> TriggerEvidence:
    return TriggerEvidence(trigger=trigger.kind, what=trigger.what, line=trigger.line, found=what[:80])
