"""The sessions as the monitor hears them: its last reading, and the messages that are not on screen yet."""

from time import monotonic

from engine.errors import MemdeckError
from engine.sessions.follows import Follows
from engine.sessions.monitor import MonitorStep
from engine.topics.decision_log import LogEntry
from engine.topics.topic import TopicSet
from tui.bridge.monitor_thread import MonitorThread
from tui.present.topics.stream import MOST

PAINT_SECONDS_BURST = 0.5
"""Seconds between two paints of a burst: more often would keep keys waiting, and nobody reads that fast."""
MOST_AT_ONCE = 10  # more messages than that since the last paint are a burst


class HeardSessions:
    """Listens in a thread, which goes on while other pages are in front."""

    def __init__(self) -> None:
        self.topics: TopicSet | None = None
        self.reading: MonitorStep | None = None
        self.followed = Follows()  # the paths that the operator pointed at besides the workspace's own transcripts
        self.problem = ""  # the problem with listening, as it was last told
        self.stopped = False  # true if listening ended with an error; every new look at the workspace tries again
        self.unpainted = False  # true if a reading is not on screen yet
        self.painted = monotonic()
        self._thread: MonitorThread | None = None
        self._fresh: list[LogEntry] = []
        """Messages that came since the last paint: rows change as they are painted, never under the cursor."""

    @property
    def begun(self) -> bool:
        return self._thread is not None

    def begin(self, thread: MonitorThread) -> None:
        self.end()
        self._thread, self.stopped = thread, False
        thread.begin()

    def end(self) -> None:
        if self._thread is not None:
            self._thread.end()

    def error(self) -> MemdeckError | None:
        """The error that ended it, told once."""
        error = self._thread.error() if self._thread is not None else None
        self.stopped = self.stopped or error is not None
        return error

    def take(self) -> str:
        """Takes what was heard since the last time; gives a problem that is told for the first time."""
        reading = self._thread.take() if self._thread is not None else None
        if reading is None:
            return ""
        self.reading, self.topics, self.unpainted = reading, reading.topics, True
        self._fresh = [*self._fresh, *reading.fresh][-MOST:]
        before, self.problem = self.problem, " · ".join(reading.problems)
        return self.problem if self.problem != before else ""

    def due(self, now: float) -> bool:
        burst = len(self._fresh) > MOST_AT_ONCE or self.behind
        return self.unpainted and (not burst or now - self.painted >= PAINT_SECONDS_BURST)

    @property
    def behind(self) -> bool:
        """Tells whether a burst goes through."""
        return self.reading is not None and self.reading.feed.behind

    def fresh(self) -> list[LogEntry]:
        """Gives each message that came once."""
        fresh, self._fresh = self._fresh, []
        return fresh
