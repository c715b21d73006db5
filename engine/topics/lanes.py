"""Shows messages over time, a lane a topic: where it was a candidate, became active and was in force."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from engine.topics.activation import TTL
from engine.topics.decision_log import LogEntry

WINDOW = timedelta(hours=1)  # the time that the lanes of what is heard live reach back
DAY = timedelta(days=1)  # the same where nothing was said in that time
_SPANS = (timedelta(minutes=5), timedelta(minutes=15), WINDOW, timedelta(hours=6), DAY)
"""The time spans of lanes; the shortest that contains all messages is used."""


class LaneMark(msgspec.Struct, frozen=True, gc=False):
    """One decision about a topic: its message's index, the time, and whether it activated the topic."""

    message: int
    at: datetime
    activated: bool


class TopicLane(msgspec.Struct, frozen=True):
    """The decisions about one topic by time; none if no message made it a candidate."""

    topic: str
    marks: tuple[LaneMark, ...] = ()

    def in_force(self, start: datetime, end: datetime, ttl: timedelta = TTL) -> bool:
        """Tells whether an activation was in force at any time between two instants."""
        return any(mark.activated and mark.at < end and mark.at + ttl > start for mark in self.marks)


class LaneWindow(msgspec.Struct, frozen=True):
    """Messages between `start` and `end`, oldest first, with their times, and the lanes of all topics."""

    start: datetime
    end: datetime
    messages: tuple[LogEntry, ...]
    times: tuple[datetime, ...]
    lanes: tuple[TopicLane, ...]

    def per_minute(self, start: datetime, end: datetime) -> float:
        """Returns the messages a minute between two instants."""
        return sum(start <= at < end for at in self.times) / max(1e-9, (end - start) / timedelta(minutes=1))

    @property
    def peak(self) -> int:
        """The most messages within one minute of the clock."""
        return max(Counter(at.replace(second=0, microsecond=0) for at in self.times).values(), default=0)


def live_window(entries: Sequence[LogEntry], topics: Iterable[str], now: datetime) -> LaneWindow:
    """Returns the last hour to `now`, or the span with all its messages; else the last day, up to the last message."""
    last = entries[-1].at if entries else now
    end = now if now - last < DAY and last <= now else last
    most = WINDOW if end - last < WINDOW and end == now else DAY
    first = min((entry.at for entry in entries if end - most <= entry.at), default=end - most)
    span = next((span for span in _SPANS if end - span <= first), most)
    return _window([(entry.at, entry) for entry in entries], topics, end - span, end)


def replay_window(entries: Sequence[LogEntry], topics: Iterable[str], now: datetime) -> LaneWindow:
    """Returns a replayed session from first to last message; a minute at `now` if it has none."""
    timed = [(entry.said_at or entry.at, entry) for entry in entries]
    times = [at for at, _ in timed] or [now]
    start, end = min(times), max(times)
    return _window(timed, topics, start, max(end, start + timedelta(minutes=1)))


def _window(
    timed: Sequence[tuple[datetime, LogEntry]], topics: Iterable[str], start: datetime, end: datetime
) -> LaneWindow:
    """Sorts topics that were candidates first, then by name, so that lanes rarely move."""
    inside = sorted(((at, entry) for at, entry in timed if start <= at <= end), key=lambda pair: pair[0])
    marks: dict[str, list[LaneMark]] = {}
    for index, (at, entry) in enumerate(inside):
        for decision in entry.decisions:
            marks.setdefault(decision.topic, []).append(LaneMark(index, at, decision.activated))
    quiet = sorted(set(topics) - marks.keys())
    lanes = [TopicLane(topic, tuple(marks[topic])) for topic in sorted(marks)] + [TopicLane(topic) for topic in quiet]
    times, messages = tuple(at for at, _ in inside), tuple(entry for _, entry in inside)
    return LaneWindow(start, end, messages, times, tuple(lanes))
