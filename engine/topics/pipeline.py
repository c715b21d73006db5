"""Handles one message: removes injected text, decides by three tiers, steers hints, activates topics."""

from collections.abc import Mapping
from datetime import datetime

from engine.topics.activation import Activations, Woken
from engine.topics.decision import MatchResult
from engine.topics.decision_log import LogEntry
from engine.topics.matcher import Matching
from engine.topics.messages import Event, Message, WebhookEvent
from engine.topics.output_hints import Steering
from engine.topics.topic import Topic


def event_entry(event: Event, result: MatchResult, woken: Woken, now: datetime) -> LogEntry:
    """Returns a webhook or the passing of time as a log entry, in the session of `session_of`."""
    if isinstance(event, WebhookEvent):
        text = event.text or f"{event.source} {event.event}".strip()
    else:
        due = ", ".join(decision.topic for decision in result.decisions)
        text = f"due: {due}" if due else "nothing was due"
    kind = session_of(event)
    return LogEntry(key=event.id, at=now, session="", source=kind, role=kind, text=text, result=result, woken=woken)


def session_of(event: Event) -> str:
    """Returns the session of an event: events belong to none, and activate topics under their own kind."""
    return "webhook" if isinstance(event, WebhookEvent) else "cron"


def watched(
    message: Message,
    matcher: Matching,
    steering: Steering,
    activations: Activations,
    topics: Mapping[str, Topic],
    now: datetime,
    *,
    role: str,
    source: str = "",
    line: int = 0,
    left_out: int = 0,
) -> LogEntry:
    """Decides a message and returns its log entry. Injected text is shown and activates nothing (decision D20)."""
    result = MatchResult(id=message.id) if message.injected else matcher.match(steering.hear(message), now)
    steered = steering.steer(message, result.corrections, now)
    woken = activations.take(message.session, result, topics, now)
    for active in woken.active:
        if active.woken == 1:
            steering.inject(message.session, topics[active.topic].instructions)
    return LogEntry(
        key=message.id,
        at=now,
        session=message.session,
        source=source,
        role=role,
        text=message.text,
        line=line,
        said_at=message.time,
        injected=message.injected,
        left_out=left_out,
        tool_calls=message.tool_calls,
        mood=message.mood,
        result=result,
        steered=steered,
        woken=woken,
    )
