"""One message through all of it: what was injected is taken out, three tiers decide, hints are steered, topics wake."""

from collections.abc import Mapping
from datetime import datetime

from engine.topics.activation import Activations
from engine.topics.decision_log import LogEntry
from engine.topics.matcher import Matching
from engine.topics.steering import Steering
from engine.topics.values import MatchResult, Message, Topic


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
    """What came of a message, as an entry of the log. What was injected is shown, and wakes nothing (decision D20)."""
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
