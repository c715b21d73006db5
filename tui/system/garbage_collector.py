"""Keeps Python's garbage collector from pausing the screen: a full pass takes some 60 ms, and painting makes thousands
of short-lived objects a second, so that by default a key meets a pause every few seconds."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ROUNDS = 100  # rounds of the middle generation until the oldest is gone through, in place of 10


@contextmanager
def resting() -> Iterator[None]:
    """Collects nothing until the console has started and its `Collector` spares the objects made so far."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Collector:
    """Exempts the objects that exist after the start; later ones are collected, but less often."""

    def __init__(self) -> None:
        self._before: tuple[int, int, int] | None = None

    def spare(self) -> None:
        """Exempts all present objects from further passes."""
        if self._before is None:
            self._before = gc.get_threshold()
            gc.set_threshold(*self._before[:2], _ROUNDS)
        gc.freeze()
        gc.enable()

    def restore(self) -> None:
        """Restores the collector's settings for whatever runs after the console."""
        if self._before is not None:
            gc.set_threshold(*self._before)
            self._before = None
            gc.unfreeze()
