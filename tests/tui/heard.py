"""A prepared workspace that listens: topics and messages are told by hand, judgements and follows are the engine's."""

import queue
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import MemdeckError
from engine.sessions.feed import Batch
from engine.sessions.folder import SessionFileInfo
from engine.sessions.monitor import MonitorStep
from engine.topics.activation import Active
from engine.topics.decision_log import LogEntry, UsefulnessJudgement
from engine.topics.rates import MessageRate, Tally, tally_of
from engine.topics.topic import TopicSet
from tests.prepared import Told
from tests.talks import NOW, conversation, topics


class Heard(Told):
    """`say` lets a message be heard; `recent` was heard before, and stands in the decision log."""

    def __init__(
        self, recent: Sequence[LogEntry] = (), known: TopicSet | None = None, base: Path | None = None
    ) -> None:
        super().__init__(base=base)
        self.known = known if known is not None else topics()
        self.breaks: MemdeckError | None = None
        """What a monitor ends with at its next step."""
        self.problems: tuple[str, ...] = ()
        self.lag = timedelta(0)
        self.feed: dict[str, object] = {}
        """What else the feed says."""
        self.active: dict[str, Active] = {}
        self.waiting: queue.SimpleQueue[tuple[LogEntry, ...]] = queue.SimpleQueue()
        self.stub.gives("topics.current", self.known)
        self.stub.gives("topics.recent", tuple(recent))
        self.stub.answers("sessions.monitor", lambda *_: HandMonitor(self))
        self.stub.gives("sessions.files", (SessionFileInfo(f"raw/conversations/{_SESSION}", 4200, NOW),))
        self.stub.gives("sessions.replay", hourly())
        self.stub.gives("sessions.last_day", ())
        self.places = self.stub.asked("sessions.monitor")

    def say(self, *entries: LogEntry) -> None:
        self.waiting.put(entries)

    @property
    def judged(self) -> tuple[UsefulnessJudgement, ...]:
        """What the operator said of decisions."""
        return self.engine.topics.judgements()


_SESSION = "2026/03/15/1845-ses_1-review.md"


def hourly() -> tuple[LogEntry, ...]:
    """An hour between two messages, so that a replay waits as long as it ever does."""
    said = enumerate(conversation())
    return tuple(msgspec.structs.replace(one, said_at=NOW + timedelta(hours=hour)) for hour, one in said)


class HandMonitor:
    """Gives what was said, a reading a step."""

    def __init__(self, owner: Heard) -> None:
        self._owner = owner
        self._today = Tally()

    def step(self, now: datetime, most: int = 200, breathe: Callable[[], object] = bool, **_: Any) -> MonitorStep:
        breathe()
        owner = self._owner
        if owner.breaks is not None:
            raise owner.breaks
        try:
            fresh = owner.waiting.get_nowait()
        except queue.Empty:
            fresh = ()
        for entry in fresh:
            self._today += tally_of(entry.result, entry.steered, injected=entry.injected)
        owner.active.update((one.topic, one) for entry in fresh for one in entry.woken.active)
        batch = Batch(heard=(), sessions=2, files=5, lag=owner.lag)
        return MonitorStep(
            fresh=fresh,
            active=tuple(owner.active.values()),
            today=self._today,
            pace=MessageRate(14, 0.4, 1.2),
            feed=msgspec.structs.replace(batch, **owner.feed),
            topics=owner.known,
            problems=owner.problems,
        )

    def close(self) -> None:
        """There is nothing to close."""
