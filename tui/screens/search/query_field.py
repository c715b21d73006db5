"""The field of the query: what is asked, one question at a time, what narrows it, and the searches that were saved."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import monotonic

import msgspec
from textual import events
from textual.message import Message
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.search.saved_searches import SavedSearch
from engine.services.engine import Engine
from tui.bridge.workers import Bridge
from tui.present.search.question import Filters, SearchOutcome, SearchState
from tui.present.search.rows import INVITATION, MOST
from tui.screens.pane import Hosted
from tui.screens.search import choices
from tui.widgets.painted import Titled

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


def found(engine: Engine, asked: SearchState, stop: Event) -> SearchOutcome:
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


class QueryField(Hosted, Input, Titled, scope="query"):
    """The field of the query; its keys stand in the footer, where all others are letters of the query meanwhile."""

    @dataclass
    class Wanted(Message):
        """Another query is wanted, or the same under other filters; `recalled`: one that was saved."""

        asked: SearchState
        recalled: bool = False

    def __init__(self) -> None:
        super().__init__(id="query", select_on_focus=False, placeholder=INVITATION)
        self.asked = SearchState()
        self.saved: tuple[SavedSearch, ...] = ()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """No question begins with `?`: in the empty field it lists the keys, as it does everywhere."""
        return super().check_consume_key(key, character) and (bool(self.value) or key != "question_mark")

    async def on_key(self, event: events.Key) -> None:
        """A letter that the field leaves to others does what it does there."""
        if not event.is_printable or self.check_consume_key(event.key, event.character):
            return
        if (bound := self.screen.active_bindings.get(event.key)) is not None:
            event.stop()
            event.prevent_default()
            await self.app.run_action(bound.binding.action, bound.node)

    # Narrowing, saving

    def lacks_query(self) -> str:
        return "" if self.asked.text.strip() else "there is no query to save"

    def lacks_saved(self) -> str:
        return "" if self.saved else "no search is saved yet: s saves one"

    def _narrow(self, filters: Filters) -> None:
        self.post_message(self.Wanted(SearchState(self.asked.text, filters)))

    def action_category(self) -> None:
        choices.choose_category(self.deck, self.asked.filters, self._narrow)

    def action_dates(self) -> None:
        choices.choose_dates(self.deck, self.asked.filters, self._narrow)

    def action_operators(self) -> None:
        """Reads `+must`, `-not` and `word*` in the query, or takes them as words again."""
        self._narrow(msgspec.structs.replace(self.asked.filters, operators=not self.asked.filters.operators))

    def action_days(self) -> None:
        """Takes away the days that the query speaks of, or lets them count again."""
        self._narrow(msgspec.structs.replace(self.asked.filters, days=not self.asked.filters.days))

    def action_save(self) -> None:
        choices.save(self.deck, self.asked, self._took_saved)

    def action_saved(self) -> None:
        choices.choose_saved(self.deck, self.saved, self._recall)

    def _recall(self, asked: SearchState) -> None:
        self.post_message(self.Wanted(asked, recalled=True))

    def action_forget(self) -> None:
        choices.forget(self.deck, self.saved, self._took_saved)

    def read_saved(self) -> None:
        self.deck.bridge.read(lambda engine: engine.search.saved.all(), self._took_saved)

    def _took_saved(self, saved: tuple[SavedSearch, ...]) -> None:
        self.saved = saved
        if self.asked.nothing:  # what is said without a query counts them
            self.post_message(self.Wanted(self.asked))
        self.screen.refresh_bindings()
