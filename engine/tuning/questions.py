"""Chooses the messages whose judgement tells most: the closest decisions of the topic, no two alike."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from engine.topics.gate.offline import CUT
from engine.topics.gate.precedence import LOW_FLOOR, MEDIUM_FLOOR
from engine.topics.matcher import Matching
from engine.topics.messages import Direction, Message
from engine.topics.topic import Priority, Topic

MOST_PER_TOPIC = 300  # judgements of one topic that are weighed, the newest


class JudgedMessage(msgspec.Struct, frozen=True):
    """A message, and whether it should activate the topic."""

    message: Message
    useful: bool


def samples_by_topic(
    entries: Iterable[LogEntry], judgements: Iterable[UsefulnessJudgement]
) -> Mapping[str, tuple[JudgedMessage, ...]]:
    """Gives the newest judgements of each topic, without those that the operator was unsure of."""
    messages = {entry.key: message_of(entry) for entry in entries if not entry.injected}
    judged: dict[str, list[JudgedMessage]] = defaultdict(list)
    for judgement in sorted(judgements, key=lambda one: one.at):
        message = messages.get(judgement.message)
        if message is not None and judgement.useful is not Useful.UNSURE:
            judged[judgement.topic].append(JudgedMessage(message, judgement.useful is Useful.YES))
    return {topic: tuple(samples[-MOST_PER_TOPIC:]) for topic, samples in sorted(judged.items())}


def message_of(entry: LogEntry) -> Message:
    """Gives the message of a log entry as it was matched."""
    return Message(
        id=entry.key,
        text=entry.text,
        direction=Direction.OUTPUT if entry.role == "agent" else Direction.INPUT,
        time=entry.said_at,
        session=entry.session,
        tool_calls=entry.tool_calls,
        mood=entry.mood,
    )


MOST = 10  # messages of one topic that a person is asked about at once
_MOST_MATCHED = 400  # messages of the log, the newest, that are looked at
_ALIKE = 0.6  # the share of words in common from which two messages ask the same


class JudgementQuestion(msgspec.Struct, frozen=True):
    """A message that the operator is asked to judge for a topic."""

    message: str  # its key in the log
    topic: str
    text: str
    woke: bool
    margin: float  # by how much its score passes or misses what decides


def questions(
    topic: Topic, recent: Sequence[LogEntry], judged: Collection[str], matcher: Matching, now: datetime
) -> tuple[JudgementQuestion, ...]:
    """Gives at most `MOST` messages without a judgement for the topic, the closest decisions first. Half of them
    activated it, if there are enough, because only those can be wrong activations."""
    asked = [entry for entry in recent[-_MOST_MATCHED:] if entry.key not in judged and not entry.injected]
    found = sorted(_asked(topic, asked, matcher, now), key=lambda question: (abs(question.margin), question.message))
    woke = _unlike(question for question in found if question.woke)[: MOST // 2]
    rest = _unlike([*woke, *(question for question in found if question not in woke)])
    return tuple(sorted(rest[:MOST], key=lambda question: (not question.woke, abs(question.margin), question.message)))


def _asked(topic: Topic, entries: Iterable[LogEntry], matcher: Matching, now: datetime) -> Iterator[JudgementQuestion]:
    for entry in entries:
        message = message_of(entry)
        if message.direction is not Direction.INPUT:
            continue
        result = matcher.match(message, now)
        if (score := result.scores.get(topic.id)) is not None:
            floor = {Priority.MEDIUM: MEDIUM_FLOOR, Priority.LOW: LOW_FLOOR}.get(topic.priority, 0.0)
            gate = CUT if topic.gate_cut is None else topic.gate_cut
            margin = round(score - max(floor, gate, topic.similarity_threshold or 0.0), 4)
            yield JudgementQuestion(entry.key, topic.id, entry.text, topic.id in result.active, margin)


def _unlike(found: Iterable[JudgementQuestion]) -> list[JudgementQuestion]:
    """Gives the messages without those that resemble an earlier one."""
    kept: list[tuple[JudgementQuestion, set[str]]] = []
    for question in found:
        words = set(question.text.casefold().split())
        if all(len(words & other) < _ALIKE * max(1, len(words | other)) for _, other in kept):
            kept.append((question, words))
    return [each for each, _ in kept]
