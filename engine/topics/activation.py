"""Keeps each session's active topics: until when, and which files they bring (autopoiesis §10.2)."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from engine.topics.decision import MatchResult
from engine.topics.topic import Priority, Topic

TTL = timedelta(minutes=15)  # the time for which a topic stays active after the last message that woke it
MOST_ACTIVE = 2_000  # activations kept over all sessions; the oldest go first
_RANK = {priority: rank for rank, priority in enumerate(Priority)}


class PulledIn(msgspec.Struct, frozen=True, gc=False):
    """A file in the context. `shared`: another active topic brings it, so it costs nothing (D5)."""

    path: str
    size: int
    shared: bool = False


class LeftOut(msgspec.Struct, frozen=True, gc=False):
    """A subscription that is not in the context, and why."""

    path: str
    reason: str


class Active(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An active topic of a session. `limit`: `max_context_kb` in bytes."""

    topic: str
    session: str
    rule: str
    priority: Priority
    since: datetime
    until: datetime
    limit: int
    files: tuple[PulledIn, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    woken: int = 1  # messages that woke it since it became active

    @property
    def cost(self) -> int:
        return sum(file.size for file in self.files if not file.shared)


class Excluded(msgspec.Struct, frozen=True, gc=False):
    """A topic that is not activated because another one has the same text."""

    topic: str
    by: str


class Woken(msgspec.Struct, frozen=True, gc=False):
    """The topics that one message activated or prolonged, and excluded duplicates."""

    active: tuple[Active, ...] = ()
    excluded: tuple[Excluded, ...] = ()


class Activations:
    """The active topics. `size_of` returns a file's bytes, None if there is none."""

    def __init__(self, size_of: Callable[[str], int | None], ttl: timedelta = TTL) -> None:
        self._size_of = size_of
        self._ttl = ttl
        self._active: dict[tuple[str, str], Active] = {}

    def take(self, session: str, result: MatchResult, topics: Mapping[str, Topic], now: datetime) -> Woken:
        """Activates what a message activated, or prolongs it."""
        self.expire(now)
        rules = {decision.topic: decision.rule.value for decision in result.decisions if decision.activated}
        woken: list[Active] = []
        excluded: list[Excluded] = []
        here = (topics[name] for name in result.active if name in topics)
        # The strongest are taken in first, so that of two alike the stronger one stays.
        for topic in sorted(here, key=lambda topic: (-_RANK[topic.priority], topic.id)):
            if (twin := self._twin(session, topic, topics)) is not None:
                excluded.append(Excluded(topic.id, twin))
                continue
            woken.append(self._wake(session, topic, rules.get(topic.id, ""), now))
        return Woken(tuple(woken), tuple(excluded))

    def restore(self, active: Iterable[Active], now: datetime) -> None:
        """Restores active topics that are not over yet."""
        for activation in active:
            if activation.until > now:
                self._active[activation.session, activation.topic] = activation

    def active(self, now: datetime, session: str | None = None) -> tuple[Active, ...]:
        """Lists the active topics, the one that ends first last."""
        self.expire(now)
        found = [activation for activation in self._active.values() if session is None or activation.session == session]
        return tuple(sorted(found, key=lambda one: (-one.until.timestamp(), one.session, one.topic)))

    def expire(self, now: datetime) -> None:
        """Removes topics that nothing activated for the time to live."""
        for key in [key for key, one in self._active.items() if one.until <= now]:
            del self._active[key]

    def _wake(self, session: str, topic: Topic, rule: str, now: datetime) -> Active:
        # Out and in again: the one that was woken longest ago is the first to go.
        before = self._active.pop((session, topic.id), None)
        files, left_out = self._context(session, topic)
        active = Active(
            topic=topic.id,
            session=session,
            rule=rule,
            priority=topic.priority,
            since=before.since if before is not None else now,
            until=now + self._ttl,
            limit=_bytes(topic),
            files=files,
            left_out=left_out,
            woken=before.woken + 1 if before is not None else 1,
        )
        self._active[session, topic.id] = active
        while len(self._active) > MOST_ACTIVE:
            del self._active[next(iter(self._active))]
        return active

    def _context(self, session: str, topic: Topic) -> tuple[tuple[PulledIn, ...], tuple[LeftOut, ...]]:
        """Returns the topic's own file, always, then its subscriptions in order while they fit."""
        there = {file.path for one in self._active.values() if one.session == session for file in one.files}
        # Without its own file a topic would be active and say nothing.
        files = [PulledIn(topic.path, self._size_of(topic.path) or 0, topic.path in there)]
        left_out: list[LeftOut] = []
        room = _bytes(topic) - files[0].size
        for path in dict.fromkeys(topic.subscriptions):
            size = self._size_of(path)
            shared = path in there
            if size is None:
                left_out.append(LeftOut(path, "there is no such file"))
            # A later, smaller one may still fit: the order is the topic's, not a prefix of it.
            elif not shared and size > room:
                left_out.append(LeftOut(path, f"over max_context_kb {topic.max_context_kb:g}"))
            else:
                files.append(PulledIn(path, size, shared))
                # Paid for by the topic that brought it in (decision D5).
                room -= 0 if shared else size
        return tuple(files), tuple(left_out)

    def _twin(self, session: str, topic: Topic, topics: Mapping[str, Topic]) -> str | None:
        """Returns another active topic of this session with the same text; None if there is none."""
        for other_session, other in self._active:
            if other_session == session and other != topic.id and _same(topics.get(other), topic):
                return other
        return None


def _same(one: Topic | None, other: Topic) -> bool:
    text = " ".join(other.instructions.split())
    return bool(text) and one is not None and " ".join(one.instructions.split()) == text


def _bytes(topic: Topic) -> int:
    return int(topic.max_context_kb * 1024)
