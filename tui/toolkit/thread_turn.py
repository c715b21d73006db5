"""Lets the screen's thread run before threads with long work. Python switches threads every few milliseconds, so that a
key of ten milliseconds takes fifty beside a busy thread."""

import asyncio
import selectors
from threading import Event

MOST_SECONDS = 0.05  # seconds for which the screen may keep others waiting; then they go on beside it


class Turn:
    """Knows whether the screen's thread is working or waiting; without its loop it counts as waiting."""

    def __init__(self) -> None:
        self._asleep = Event()
        self._asleep.set()

    def new_loop(self) -> asyncio.AbstractEventLoop:
        """Makes the event loop for the screen's thread."""
        self._asleep.clear()
        return asyncio.SelectorEventLoop(_Selector(self._asleep))

    def wait(self) -> None:
        """Returns once the screen's thread waits; other threads call it between two pieces of work."""
        if not self._asleep.is_set():
            self._asleep.wait(MOST_SECONDS)


class _Selector(selectors.DefaultSelector):
    """Notes that the screen's thread is waiting while it selects."""

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
