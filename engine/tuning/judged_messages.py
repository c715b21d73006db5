"""Turns what the operator judged into questions with a known answer: should this message have woken this topic?"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from engine.topics.messages import Direction, Message

MOST_PER_TOPIC = 300
"""Judgements of one topic that are weighed, the newest."""


class JudgedMessage(msgspec.Struct, frozen=True):
    """A message, and whether it should have woken the topic."""

    message: Message
    useful: bool


def samples_by_topic(
    entries: Iterable[LogEntry], judgements: Iterable[UsefulnessJudgement]
) -> Mapping[str, tuple[JudgedMessage, ...]]:
    """The newest judgements of each topic; those the operator was unsure of are left out."""
    messages = {entry.key: message_of(entry) for entry in entries if not entry.injected}
    found: dict[str, list[JudgedMessage]] = defaultdict(list)
    for judgement in sorted(judgements, key=lambda one: one.at):
        message = messages.get(judgement.message)
        if message is not None and judgement.useful is not Useful.UNSURE:
            found[judgement.topic].append(JudgedMessage(message, judgement.useful is Useful.YES))
    return {topic: tuple(samples[-MOST_PER_TOPIC:]) for topic, samples in sorted(found.items())}


def message_of(entry: LogEntry) -> Message:
    """The message as it was matched, from what the log keeps of it."""
    return Message(
        id=entry.key,
        text=entry.text,
        direction=Direction.OUTPUT if entry.role == "agent" else Direction.INPUT,
        time=entry.said_at,
        session=entry.session,
        tool_calls=entry.tool_calls,
        mood=entry.mood,
    )
