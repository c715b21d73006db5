"""Keeps the search index fresh while the console is open: changed notes at once, vectors in slices."""

from threading import Event
from typing import TYPE_CHECKING

import msgspec

from engine.errors import Cancelled, MemdeckError
from engine.search.values import IndexState
from engine.workspace.values import Progress
from tui.bridge.engine_threads import Bridge

if TYPE_CHECKING:
    from engine.services.engine import Engine

SLICE_SECONDS = 0.5  # seconds for which the index is kept at once: the engine's thread is free for a look after them
PAUSE_SECONDS = 0.05  # between two slices, so that searches and other consoles get their turn
AGAIN_SECONDS = 30.0  # after a problem, or with nothing to do, it looks again this much later


class IndexKeeper:
    """Updates the index in its own thread; does nothing until the first search has made one."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._wanted = Event()
        self._stop = Event()
        self.standing: IndexState | None = None  # the state of the index, as far as is known
        self.progress: Progress | None = None
        self._most: Progress | None = None

    def start(self) -> None:
        self._bridge.alongside("index", self._run, self._wanted)
        self.wake()

    def wake(self) -> None:
        """Wakes the thread after a change or the first search."""
        self._wanted.set()

    def _run(self, engine: "Engine", stop: Event) -> None:
        self._stop = stop
        while not stop.is_set():
            self._wanted.wait(AGAIN_SECONDS)
            # Before the work, so that a change that comes meanwhile is not missed.
            self._wanted.clear()
            while not stop.is_set() and self._slice(engine):
                stop.wait(PAUSE_SECONDS)

    def _slice(self, engine: "Engine") -> bool:
        """Works for one slice of time, and tells whether more work is left."""
        try:
            # Nobody searched yet: an index of a large workspace costs minutes that nobody asked for.
            if not engine.search.has_index:
                return False
            standing = engine.search.keep_index(SLICE_SECONDS, self._tick)
        except Cancelled:
            return False
        except MemdeckError as error:
            standing = IndexState(problem=error.line())
        except Exception as error:  # noqa: BLE001 - the top edge of a thread; what it says is shown in a line
            standing = IndexState(problem=f"{type(error).__name__}: {error}")
        before = self.standing
        if standing != before:
            self.standing = standing
        if standing.is_fresh or standing.problem:
            self.progress = self._most = None
            return False
        # A slice that changed nothing would be repeated for ever.
        return standing != before

    def _tick(self, progress: Progress) -> None:
        if self._stop.is_set():
            raise Cancelled("the console was left")
        self.progress = self._whole(progress)

    def _whole(self, step: Progress) -> Progress:
        """Returns the progress over all slices, since each slice counts only what was left at its start."""
        most = self._most
        if most is None or most.stage != step.stage or (most.total or 0) < (step.total or 0):
            most = self._most = step
        before = (most.total or 0) - (step.total or 0)
        size = max(0, most.total_size - step.total_size)
        return msgspec.structs.replace(
            step, done=step.done + before, total=most.total, size=step.size + size, total_size=most.total_size
        )
