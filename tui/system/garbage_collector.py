"""Python's garbage collector, kept from stopping the screen. Going through all that a console holds takes some 60 ms,
and painting makes thousands of short-lived objects a second: by default a key falls into such a pause every few
seconds."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ROUNDS = 100  # rounds of the middle generation until the oldest is gone through, in place of 10


@contextmanager
def resting() -> Iterator[None]:
    """Nothing is collected until the console stands and its `Collector` spares what is there: all of it stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Collector:
    """Sets aside what is there once the console stands; what comes later is collected as ever, but less often."""

    def __init__(self) -> None:
        self._before: tuple[int, int, int] | None = None

    def spare(self) -> None:
        """Nothing that is there now is gone through again."""
        if self._before is None:
            self._before = gc.get_threshold()
            gc.set_threshold(*self._before[:2], _ROUNDS)
        gc.freeze()
        gc.enable()

    def restore(self) -> None:
        """As it was, for whatever runs in this process after the console."""
        if self._before is not None:
            gc.set_threshold(*self._before)
            self._before = None
            gc.unfreeze()
