"""A small matcher that takes topics at their word: patterns, keywords, a score by shared words, the gate's table."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from engine.topics.decision import Decision, GateAnswer, GateRule, MatchResult
from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from engine.topics.files.topic_file import read_topic
from engine.topics.messages import Event, Message
from engine.topics.topic import Activation, KeywordsTrigger, PatternTrigger, Priority, Topic
from engine.tuning.plan import Log
from tests.engine.topics.waking import NOON

NEEDS = {Priority.HIGH: 0.0, Priority.MEDIUM: 0.2, Priority.LOW: 0.3, Priority.CRITICAL: 0.0}


class SmallMatcher:
    """The gate always says yes."""

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.topics = topics

    def match(self, message: Message, now: datetime) -> MatchResult:
        matched = [topic for topic in self.topics if any(_hits(one, message.text) for one in topic.triggers)]
        scores = {topic.id: _score(topic, message.text) for topic in matched}
        decisions = tuple(self._decide(topic, scores[topic.id]) for topic in matched)
        return MatchResult(
            id=message.id,
            candidates=tuple(scores),
            scores=scores,
            decisions=decisions,
            active=tuple(one.topic for one in decisions if one.activated),
        )

    def event(self, event: Event, now: datetime) -> MatchResult:
        raise NotImplementedError

    def _decide(self, topic: Topic, score: float) -> Decision:
        sure = topic.activation is Activation.AUTO or (topic.priority is Priority.HIGH and score >= 0.3)
        enough = score >= max(topic.similarity_threshold or 0.0, 0.0 if sure else NEEDS[topic.priority])
        gate = GateAnswer.YES if enough and not sure else GateAnswer.NONE
        rule = GateRule.HIGH_SURE if sure else GateRule.HIGH_GATE if enough else GateRule.MEDIUM_DROP
        return Decision(topic=topic.id, rule=rule, gate=gate, activated=enough, tier1=True, score=score)


def _hits(trigger: object, text: str) -> bool:
    if isinstance(trigger, PatternTrigger):
        return re.search(trigger.match, text, re.IGNORECASE) is not None
    return isinstance(trigger, KeywordsTrigger) and any(word in text.casefold() for word in trigger.words)


def _score(topic: Topic, text: str) -> float:
    words, known = set(text.casefold().split()), set(topic.instructions.casefold().split())
    return len(words & known) / max(1, len(words))


def topic_of(text: str, name: str = "mail") -> Topic:
    read = read_topic(f"topics/{name}.md", text.encode())
    assert read.topic is not None, read.problems
    return read.topic


def judged(topic: str, *said: tuple[str, bool], unsure: Sequence[str] = (), recent: Sequence[str] = ()) -> Log:
    """A log in which the operator judged these messages for a topic."""
    texts = [(text, Useful.YES if useful else Useful.NO) for text, useful in said]
    texts += [(text, Useful.UNSURE) for text in unsure]
    entries = tuple(_entry(text) for text, _ in texts)
    judgements = tuple(
        UsefulnessJudgement(entry.key, topic, useful, NOON + timedelta(minutes=number))
        for number, (entry, (_, useful)) in enumerate(zip(entries, texts, strict=True))
    )
    return Log(entries, judgements, tuple(map(_entry, recent)))


def _entry(text: str) -> LogEntry:
    return LogEntry(
        key=f"k:{text}", at=NOON, session="s", source="a", role="user", text=text, result=MatchResult(id=f"k:{text}")
    )
