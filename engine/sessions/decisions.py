"""Messages of sessions, decided one after the other: mood, cooldowns and what is active go on from each to the next."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import msgspec

from engine.sessions.messages import SessionMessage
from engine.topics.activation import Activations
from engine.topics.decision_log import LogEntry
from engine.topics.matcher import Matching
from engine.topics.patterns.sentiment import Moods
from engine.topics.pipeline import watched
from engine.topics.steering import Steering
from engine.topics.topic import Topic


class TopicsInForce(Protocol):
    """The topics in force with their matcher; both may be others by the next message."""

    @property
    def topics(self) -> Mapping[str, Topic]: ...
    @property
    def matcher(self) -> Matching: ...


class SessionDecider:
    """Decides the messages of sessions, live or in a replay."""

    def __init__(self, live: TopicsInForce, activations: Activations, steering: Steering | None = None) -> None:
        self._live = live
        self._activations = activations
        self._steering = steering or Steering()
        self._moods = Moods()

    def decide(self, heard: SessionMessage, now: datetime) -> LogEntry:
        """Decides one message. `now` is when it counts as said."""
        message = heard.message
        mood = self._moods.of(message.session)
        entry = watched(
            msgspec.structs.replace(message, mood=mood),
            self._live.matcher,
            self._steering,
            self._activations,
            self._live.topics,
            now,
            role=heard.role.value,
            source=heard.source,
            line=heard.line,
            left_out=heard.left_out,
        )
        self._moods.go_on(message.session, mood, entry.result.mood)
        return entry
