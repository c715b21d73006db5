"""Defines the query's field: the question, its filters, and saved searches."""

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
from tui.bridge.engine_threads import Bridge
from tui.present.search.hit_rows import INVITATION, MOST
from tui.present.search.query_filters import Filters, SearchOutcome, SearchState
from tui.screens.hosted import Hosted
from tui.screens.search import choices
from tui.widgets.painted import Titled

BRING_IN_SECONDS = 0.4
"""Seconds that an answer may wait for changed files; the rest is indexed after it."""
LONG_SECONDS = 0.3  # a wait that is said: anything shorter would only flicker while one types


class LiveQuery:
    """Asks questions in a thread; its methods and callbacks run in the screen's thread."""

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
        """Tells whether the wait for an answer is long enough to be shown."""
        return self._since is not None and monotonic() - self._since > LONG_SECONDS

    def ask(self, asked: SearchState) -> None:
        """Asks now, or after the question under way, which is stopped since its answer is not needed."""
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
        """Tells whether the finished question is still wanted; if not, asks the wanted one."""
        self.busy = False
        if not self._stop.is_set():
            self._since = None
            return True
        self.ask(self._wanted)
        return False


def found(engine: Engine, asked: SearchState, stop: Event) -> SearchOutcome:
    """Asks the engine in a thread, without listing the workspace, which the console watches."""
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
    """The field for the query; the footer shows its keys, since all others are letters."""

    @dataclass
    class Wanted(Message):
        """Says that another query or filter is wanted; `recalled` for a saved one."""

        asked: SearchState
        recalled: bool = False

    def __init__(self) -> None:
        super().__init__(id="query", select_on_focus=False, placeholder=INVITATION)
        self.asked = SearchState()
        self.saved: tuple[SavedSearch, ...] = ()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Lets `?` in the empty field list the keys, since no query begins with it."""
        return super().check_consume_key(key, character) and (bool(self.value) or key != "question_mark")

    async def on_key(self, event: events.Key) -> None:
        """Performs the action of a letter that the field does not take."""
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
        """Reads `+must`, `-not` and `word*` in the query as operators, or as words again."""
        self._narrow(msgspec.structs.replace(self.asked.filters, operators=not self.asked.filters.operators))

    def action_days(self) -> None:
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
