"""Orders threads: one with long work lets the screen's thread go first. Python runs one thread at a time and hands over
every few milliseconds, so a key that takes ten milliseconds to paint takes fifty beside a thread that never rests."""

import asyncio
import selectors
from threading import Event

MOST_SECONDS = 0.05  # seconds for which the screen may keep others waiting; then they go on beside it


class Turn:
    """Knows whether the screen's thread works or sleeps. Without a loop of its own it counts as asleep."""

    def __init__(self) -> None:
        self._asleep = Event()
        self._asleep.set()

    def new_loop(self) -> asyncio.AbstractEventLoop:
        """The loop for the screen's thread."""
        self._asleep.clear()
        return asyncio.SelectorEventLoop(_Selector(self._asleep))

    def wait(self) -> None:
        """Returns once the screen's thread sleeps; called by other threads between two pieces of their work."""
        if not self._asleep.is_set():
            self._asleep.wait(MOST_SECONDS)


class _Selector(selectors.DefaultSelector):
    """The thread that waits here for something to happen sleeps meanwhile."""

    def __init__(self, asleep: Event) -> None:
        super().__init__()
        self._asleep = asleep

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        # A look without waiting: the thread goes on at once and does not sleep.
        if timeout is not None and timeout <= 0:
            return super().select(timeout)
        self._asleep.set()
        try:
            return super().select(timeout)
        finally:
            self._asleep.clear()

    def close(self) -> None:
        super().close()
        self._asleep.set()
