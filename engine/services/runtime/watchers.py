"""The watcher system by its tiers, for the topics as they are now (autopoiesis §4, §5, §9.2)."""

import asyncio
from datetime import datetime
from itertools import count
from typing import Literal

import msgspec

from engine.services.engine import Engine
from engine.topics.matcher import Matcher
from engine.topics.messages import Direction, Message
from engine.topics.topic import Topic


class TopicActivation(msgspec.Struct, frozen=True, kw_only=True):
    """A topic that a message woke: by which rule, until when, and the files that come into the context with it."""

    topic: str
    rule: str
    until: datetime
    files: tuple[str, ...]


class WatcherPipeline:
    """Decides which topics the messages of one session wake. Decisions go into the operator's log."""

    def __init__(self, engine: Engine, session: str = "api") -> None:
        self._engine, self._session = engine, session
        self._stream = engine.topics.stream()
        self._numbers = count(1)

    def process(self, message: str, direction: Literal["input", "output"]) -> list[TopicActivation]:
        """Lists what a message to (`input`) or of the agent (`output`) woke, the strongest first."""
        now = self._engine.real_now()
        heard = Message(
            id=f"{self._session}:{next(self._numbers)}",
            text=message,
            direction=Direction(direction),
            time=now,
            session=self._session,
        )
        with self._stream as stream:
            woken = stream.hear(heard, now).woken
        return [
            TopicActivation(
                topic=one.topic, rule=one.rule, until=one.until, files=tuple(file.path for file in one.files)
            )
            for one in woken.active
        ]


class PatternMatcher:
    """Tier 1 alone: patterns, keywords, globs and the like."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def match(self, text: str) -> set[str]:
        """Gives the ids of the topics of which a trigger for incoming text matches."""
        return set(_matcher(self._engine).patterns.match(Message(id="api", text=text)).evidence)


class SimilarityScorer:
    """Tier 2 alone: how near a text is to each topic, by the scorer that the policy names."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def score(self, text: str, candidates: set[str] | None = None) -> list[tuple[str, float]]:
        """Ids with their figures from 0 to 1, the nearest first; of all topics, or of `candidates` alone."""
        similarity = _matcher(self._engine).similarity
        scored = similarity.score(text)
        figures = {topic.id: scored.score(row).calibrated for row, topic in enumerate(similarity.topics)}
        chosen = [(topic, figure) for topic, figure in figures.items() if candidates is None or topic in candidates]
        return sorted(chosen, key=lambda one: (-one[1], one[0]))


class GatedActivator:
    """All three tiers for one topic, with the gate that the policy names."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def should_activate(self, message: str, topic: Topic) -> bool:
        """Tells whether a message wakes this topic, beside all the others there are."""
        heard = Message(id="api", text=message, time=self._engine.real_now())
        result = await asyncio.to_thread(self._engine.topics.matcher().match, heard, self._engine.real_now())
        return topic.id in result.active


def _matcher(engine: Engine) -> Matcher:
    found = engine.topics.matcher()
    if not isinstance(found, Matcher):
        raise TypeError(f"{type(found).__name__} has no stages")
    return found
