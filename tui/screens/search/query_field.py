"""The field of the query as a pane: what is asked, what narrows it, and the searches that were saved."""

from dataclasses import dataclass

import msgspec
from textual import events
from textual.message import Message
from textual.widgets import Input

from engine.search.saved_searches import SavedSearch
from tui.keys.naming import bindings
from tui.present.search.empty import INVITATION
from tui.present.search.question import Filters, SearchState
from tui.screens.pane import Hosted
from tui.screens.search import choices


class QueryField(Hosted, Input):
    """The field of the query; its keys stand in the footer, where all others are letters of the query meanwhile."""

    BINDINGS = bindings("query")

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
        bound = self.screen.active_bindings.get(event.key)
        if bound is not None:
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
