"""The watcher's stages for the present topics (autopoiesis §4, §5, §9.2)."""

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
    """A topic that a message activated: its rule, its end, and the files that it adds to the context."""

    topic: str
    rule: str
    until: datetime
    files: tuple[str, ...]


class WatcherPipeline:
    """Decides which topics one session's messages activate, and logs it."""

    def __init__(self, engine: Engine, session: str = "api") -> None:
        self._engine, self._session = engine, session
        self._stream = engine.topics.stream()
        self._numbers = count(1)

    def process(self, message: str, direction: Literal["input", "output"]) -> list[TopicActivation]:
        """Gives the topics that a message to (`input`) or from the agent (`output`) activated, strongest first."""
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
    """Stage 1 alone: patterns, keywords, globs and other triggers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def match(self, text: str) -> set[str]:
        """Gives the ids of topics with a trigger that matches the incoming text."""
        return set(_matcher(self._engine).patterns.match(Message(id="api", text=text)).evidence)


class SimilarityScorer:
    """Stage 2 alone: a text's similarity to each topic, by the policy's scorer."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def score(self, text: str, candidates: set[str] | None = None) -> list[tuple[str, float]]:
        """Gives topic ids with similarities from 0 to 1, highest first; of all topics, or of `candidates`."""
        similarity = _matcher(self._engine).similarity
        scored = similarity.score(text)
        figures = {topic.id: scored.score(row).calibrated for row, topic in enumerate(similarity.topics)}
        chosen = [(topic, figure) for topic, figure in figures.items() if candidates is None or topic in candidates]
        return sorted(chosen, key=lambda one: (-one[1], one[0]))


class GatedActivator:
    """All three stages for one topic, with the policy's gate."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def should_activate(self, message: str, topic: Topic) -> bool:
        """Tells whether a message activates this topic among all topics."""
        heard = Message(id="api", text=message, time=self._engine.real_now())
        result = await asyncio.to_thread(self._engine.topics.matcher().match, heard, self._engine.real_now())
        return topic.id in result.active


def _matcher(engine: Engine) -> Matcher:
    found = engine.topics.matcher()
    if not isinstance(found, Matcher):
        raise TypeError(f"{type(found).__name__} has no stages")
    return found
