"""One question at a time to the engine: a new one stops the one under way, and only the newest is answered."""

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from engine.errors import MemdeckError
from tui.bridge.workers import Bridge
from tui.present.search.question import SearchOutcome, SearchState
from tui.present.search.search_line import MOST

if TYPE_CHECKING:
    from engine.services.engine import Engine

BRING_IN_SECONDS = 0.4
"""Seconds that an answer may wait for changed files; what is still lacking then is brought in behind it."""
LONG_SECONDS = 0.3  # a wait that is said: anything shorter would only flicker while one types


class LiveQuery:
    """Puts questions in a thread. To be used from the screen's own thread, where the callbacks are called too."""

    def __init__(
        self,
        bridge: Callable[[], Bridge],
        took: Callable[[SearchOutcome], None],
        could_not: Callable[[MemdeckError], None],
    ) -> None:
        self._bridge, self._took, self._could_not = bridge, took, could_not
        self._stop = Event()
        self._wanted = SearchState()
        self._since: float | None = None  # the instant at which the first question was asked that has no answer yet
        self.busy = False  # true if a question is under way

    @property
    def is_slow(self) -> bool:
        """Tells whether an answer has been awaited for so long that it should be said."""
        return self._since is not None and monotonic() - self._since > LONG_SECONDS

    def ask(self, asked: SearchState) -> None:
        """Asks now, or once the question under way has stopped: nobody waits for that one any more."""
        self._stop.set()
        self._wanted = asked
        self._since = None if asked.nothing else self._since or monotonic()
        if not self.busy and not asked.nothing:
            self._put(asked)

    def _put(self, asked: SearchState) -> None:
        self.busy, self._stop = True, Event()
        stop = self._stop
        self._bridge().find(lambda engine: found(engine, asked, stop), self._answered, self._failed)

    def _answered(self, answer: SearchOutcome) -> None:
        if self._is_wanted():
            self._took(answer)

    def _failed(self, error: MemdeckError) -> None:
        if self._is_wanted():
            self._could_not(error)

    def _is_wanted(self) -> bool:
        """Tells whether the question under way is still the one; else asks what is wanted by now."""
        self.busy = False
        if not self._stop.is_set():
            self._since = None
            return True
        self.ask(self._wanted)
        return False


def found(engine: "Engine", asked: SearchState, stop: Event) -> SearchOutcome:
    """One question to the engine, in a thread; the console follows the workspace, so it is not listed again."""
    started = monotonic()
    if asked.like:
        answer = engine.search.more_like_this(asked.like, MOST, look=False)
    else:
        filters = asked.filters
        answer = engine.search.find(
            asked.text,
            MOST,
            filters.category,
            operators=filters.operators,
            since=filters.since,
            until=filters.until,
            dates=filters.days,
            seconds=BRING_IN_SECONDS,
            look=False,
            stop=stop.is_set,
        )
    return SearchOutcome(asked, answer, (monotonic() - started) * 1000)
