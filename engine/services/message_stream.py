"""Messages and events from another program: decided, steered, and recorded in the log (`CLI.md`)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Self

import msgspec

from engine.sessions.live_topics import LiveTopics
from engine.text.canonical_json import sha256_hex
from engine.topics.activation import Activations
from engine.topics.decision_log import LogEntry
from engine.topics.messages import Direction, Event, Message
from engine.topics.output_hints import Steering
from engine.topics.patterns.sentiment import Moods
from engine.topics.pipeline import event_entry, session_of, watched

BATCH = 200  # decisions that are written to the log at once

Keep = Callable[[Sequence[LogEntry]], None]


class MessageStream:
    """A stream of messages of one or more sessions. Cooldowns, turns and moods are kept by session."""

    def __init__(self, live: LiveTopics, keep: Keep, size_of: Callable[[str], int | None], *, apart: bool) -> None:
        """Takes `apart` to decide each message alone, without the cooldown, cap and mood of earlier ones."""
        self._live = live
        self._keep = keep
        self._size_of = size_of
        self._apart = apart
        self._steering, self._activations = Steering(), Activations(size_of)
        self._moods = Moods()
        self._entries: list[LogEntry] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()

    def hear(self, message: Message, now: datetime) -> LogEntry:
        """Decides which topics a message activates; reads changed topic files again."""
        self._live.refresh(now)
        if self._apart:
            self._steering, self._activations = Steering(), Activations(self._size_of)
        elif not message.mood:
            message = msgspec.structs.replace(message, mood=self._moods.of(message.session))
        entry = watched(
            message,
            self._live.matcher,
            self._steering,
            self._activations,
            self._live.topics,
            message.time or now,
            role="agent" if message.direction is Direction.OUTPUT else "user",
            source="match",
        )
        self._moods.go_on(message.session, message.mood, entry.result.mood)
        return self._kept(entry, now)

    def event(self, event: Event, now: datetime) -> LogEntry:
        """Decides which topics a webhook or the passing of time activates."""
        self._live.refresh(now)
        result = self._live.matcher.event(event, now)
        woken = self._activations.take(session_of(event), result, self._live.topics, now)
        return self._kept(event_entry(event, result, woken, now), now)

    def flush(self) -> None:
        entries, self._entries = self._entries, []
        if entries:
            self._keep(entries)

    def _kept(self, entry: LogEntry, now: datetime) -> LogEntry:
        """Adds the entry under a unique key, because ids of other programs may repeat."""
        told = (entry.key, entry.session, entry.text, now.isoformat(), str(len(self._entries)))
        key = f"{entry.source}:{sha256_hex(msgspec.json.encode(told))[:24]}"
        self._entries.append(msgspec.structs.replace(entry, key=key))
        if len(self._entries) >= BATCH:
            self.flush()
        return entry
