"""Topics, messages and matchers for tests."""

from collections.abc import Sequence
from typing import Any

from engine.text.canonical_json import sha256_hex
from engine.topics.files.topic_file import read_topic
from engine.topics.gate.offline import OfflineGate
from engine.topics.gate.question import GateCache, GateFailed, GateQuestion, GateVerdict, TopicGate
from engine.topics.matcher import Matcher
from engine.topics.messages import Message
from engine.topics.patterns.tier1 import TopicPatterns
from engine.topics.similarity.tier2 import ScorerName, TopicSimilarity
from engine.topics.topic import AnyTrigger, Topic, TopicSet


def topic(name: str = "t", *triggers: AnyTrigger, text: str = "", **fields: Any) -> Topic:
    """A topic whose content hash depends on all it says."""
    values: dict[str, Any] = {"title": name, "description": "", "instructions": text, "triggers": triggers, **fields}
    told = sha256_hex(repr((name, sorted(values.items(), key=str))).encode())
    return Topic(id=name, path=f"topics/{name}.md", sha256=told, **values)


def from_file(text: str, path: str = "topics/t.md") -> Topic:
    """A topic from its file, which must be without errors."""
    read = read_topic(path, text.encode())
    assert read.topic is not None, read.problems
    return read.topic


def said(text: str, **fields: Any) -> Message:
    return Message(id="m", text=text, **fields)


class SayingGate:
    """Always gives one answer, or fails; counts what it is asked."""

    name = "saying"

    def __init__(self, yes: bool = True, *, fails: bool = False, keeps: bool = True, cost: float = 0.0) -> None:
        self.yes, self.fails, self.keeps, self.cost = yes, fails, keeps, cost
        self.asked: list[GateQuestion] = []

    def ask(self, question: GateQuestion) -> GateVerdict:
        self.asked.append(question)
        if self.fails:
            raise GateFailed("no line")
        return GateVerdict(yes=self.yes, by=self.name, reason="because", cost_usd=self.cost)


def matcher(
    topics: Sequence[Topic],
    gate: TopicGate | None = None,
    *,
    cache: GateCache | None = None,
    scorer: ScorerName = "tfidf",
    zone: str = "UTC",
) -> Matcher:
    """Scores by words alone unless told otherwise, and needs no clock."""
    return Matcher(
        TopicSet(topics=tuple(sorted(topics, key=lambda each: each.id))),
        patterns=TopicPatterns(topics),
        similarity=TopicSimilarity(sorted(topics, key=lambda each: each.id), name=scorer),
        gate=gate or OfflineGate(),
        cache=cache or GateCache(),
        zone=zone,
        timer=lambda: 0.0,
    )
