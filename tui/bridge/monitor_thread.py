"""Runs the monitor of sessions in its own thread."""

import sys
from collections.abc import Callable
from datetime import datetime
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError

if TYPE_CHECKING:  # the scorers behind it would come before the first paint, which needs none
    from engine.sessions.monitor import Monitor, MonitorStep

AT_ONCE = 50  # messages decided before the screen is told: some fifteen milliseconds
SWITCH_SECONDS = 0.001
"""Seconds that one thread may keep another waiting; at Python's own 5 ms a burst delays every key."""
MOST_WAITING = 5_000  # messages that wait for the screen; the log has all of them
IDLE_SECONDS = 0.15  # seconds between two looks at the sessions when nothing waits to be read
BUSY_SECONDS = 0.001  # seconds that the screen's thread gets between two pieces of a burst


class MonitorThread:
    """Runs a monitor in its own thread; the screen takes the results once per tick."""

    def __init__(
        self, start: "Callable[[], tuple[Monitor, Callable[[], datetime]]]", breathe: Callable[[], object] = bool
    ) -> None:
        """Takes `breathe`, which is called between two messages to let other threads run."""
        self._start = start
        self._breathe = breathe
        self._stop = Event()
        self._lock = Lock()
        self._reading: MonitorStep | None = None
        self._error: MemdeckError | None = None
        self._last: MonitorStep | None = None
        # A daemon: a read that hangs must not keep the console from ending.
        self._thread = Thread(target=self._run, daemon=True, name="topics")

    def begin(self) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._thread.start()

    def end(self) -> None:
        """Asks the thread to stop, and waits a second for it to save its place."""
        self._stop.set()
        if self._thread.is_alive():
            # A moment, for it may stand in a slow disk; what it did not keep is read again.
            self._thread.join(1.0)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def take(self) -> "MonitorStep | None":
        """Returns all that came since the last call as one reading; None for nothing."""
        with self._lock:
            reading, self._reading = self._reading, None
            return reading

    def error(self) -> MemdeckError | None:
        """Returns the error that ended the thread, once; None without one."""
        with self._lock:
            error, self._error = self._error, None
            return error

    def _run(self) -> None:
        try:
            monitor, clock = self._start()
            try:
                self._listen(monitor, clock)
            finally:
                monitor.close()
        except MemdeckError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 - the top edge of a thread, whose traceback would land on the screen
            self._fail(MemdeckError(f"{type(error).__name__}: {error}", hint="memdeck topics watch --debug"))

    def _listen(self, monitor: "Monitor", clock: Callable[[], datetime]) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            reading = monitor.step(clock(), AT_ONCE, self._let_others_go_first)
            self._put(reading)
            pause = BUSY_SECONDS if reading.feed.behind else IDLE_SECONDS

    def _let_others_go_first(self) -> None:
        if not self._stop.is_set():  # who stops it waits for it
            self._breathe()

    def _put(self, reading: "MonitorStep") -> None:
        """Merges a reading with those that the screen has not taken; ignores one without changes."""
        if not reading.fresh and _same(reading, self._last):
            return
        self._last = reading
        with self._lock:
            earlier = self._reading.fresh if self._reading is not None else ()
            # The newest, since the page shows those.
            fresh = (*earlier, *reading.fresh)[-MOST_WAITING:]
            self._reading = msgspec.structs.replace(reading, fresh=fresh)

    def _fail(self, error: MemdeckError) -> None:
        with self._lock:
            self._error = error


def _same(reading: "MonitorStep", last: "MonitorStep | None") -> bool:
    if last is None or reading.topics is not last.topics:
        return False
    return msgspec.structs.replace(reading, decided=()) == msgspec.structs.replace(last, fresh=(), decided=())
