"""Search: where does it stand? Results as you type, the match in view, and what answered."""

import msgspec
from textual import events, on
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.search.saved_searches import SavedSearch
from engine.search.values import IndexState
from tui.bridge.facts import StatusRead
from tui.keys.naming import bindings
from tui.present.search.question import Filters, SearchOutcome, SearchState
from tui.screens.page import Place, TypedWords
from tui.screens.search import choices as choices
from tui.screens.search.live_query import LiveQuery
from tui.screens.search.panes import SearchPanes
from tui.system.editor import edit
from tui.widgets.hit_list import HitList
from tui.widgets.source_text import SourceText

DEBOUNCE_SECONDS = 0.08
"""A query is asked once no key came for so long."""


class SearchPage(SearchPanes):
    """Asks as one types, narrows, saves, and hands a hit on: to the tree, to an editor, to what is like it."""

    BINDINGS = bindings("SearchPage")

    def __init__(self) -> None:
        super().__init__()
        self.asking = LiveQuery(lambda: self.deck.bridge, self._took, self._could_not)
        self._waiting: Timer | None = None
        self._followed: IndexState | None = None
        """The state of the index when a question was last asked again for its sake."""

    def on_mount(self) -> None:
        self.set_interval(0.3, self._follow_index)
        self.deck.facts.follow(StatusRead, self._ask_again)

    @property
    def waits(self) -> bool:
        return self.asking.is_slow

    # Asking

    def enter(self) -> None:
        self.turn_to("query" if self.asked.nothing else self.current)
        self._read_saved()

    def _ask_again(self, _: StatusRead) -> None:
        """The workspace was read anew, so there may be other answers."""
        if self.has_class("here") and not self.asked.nothing:
            self._ask()

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value == self.asked.text and not self.asked.like:
            return
        if bool(event.value) != bool(self.asked.text):  # `?` is a letter from now on, or lists the keys again
            self.refresh_bindings()
        self.asked = SearchState(event.value, self.asked.filters)
        self._wait_no_more()
        self._waiting = self.set_timer(DEBOUNCE_SECONDS, self._ask)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()

    def ask(self, asked: SearchState) -> None:
        """Puts a whole question, and shows its query in the field."""
        self.asked = asked
        if self.field.value != asked.text:
            with self.prevent(Input.Changed):
                self.field.value = asked.text
        self._wait_no_more()
        self._ask()

    def _ask(self) -> None:
        self.asking.ask(self.asked)
        if self.asked.nothing:
            self.found, self.problem = None, None
            self.show_found()
        else:
            self.show_standing()

    def _took(self, found: SearchOutcome) -> None:
        same = self.found is not None and self.found.asked == found.asked
        before = self.hit.path if same and self.hit is not None else ""
        self.found, self.problem = found, None
        self.show_found(before)
        self.deck.keeper.wake()

    def _could_not(self, error: MemdeckError) -> None:
        self.found, self.problem = None, error
        self.show_found()

    def _follow_index(self) -> None:
        """Asks again what was answered without all of the index, once that is whole."""
        standing = self.deck.keeper.standing
        if standing is not None and standing.is_fresh and standing is not self._followed:
            self._followed = standing
            if self.found is not None and self.found.answer.degraded and not self.asking.busy:
                self._ask()
        self.show_standing()

    # What can be done with a hit

    def lacks_hit(self) -> str:
        return "" if self.hit is not None else "nothing is selected"

    def lacks_copies(self) -> str:
        return "" if self.hit is not None and self.hit.copies else "no other file says the same"

    def lacks_editing(self) -> str:
        return "read-only: an editor could change the note" if self.deck.read_only else ""

    def lacks_found(self) -> str:
        if self.hit is not None:
            return ""
        return "nothing was found" if self.found is not None else "nothing was searched for yet"

    def lacks_query(self) -> str:
        return "" if self.asked.text.strip() else "there is no query to save"

    def lacks_saved(self) -> str:
        return "" if self.saved else "no search is saved yet: s saves one"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the field itself there is no way to the field."""
        return False if action == "ask" and self.field.has_focus else super().check_action(action, parameters)

    @on(HitList.Chosen, "#hits")
    def _chosen(self, event: HitList.Chosen) -> None:
        event.stop()
        self._was_useful()
        self.turn_to("preview")

    @on(SourceText.Chosen, "#preview")
    async def _edit_there(self, event: SourceText.Chosen) -> None:
        event.stop()
        await self.app.run_action("edit", self)

    @on(SourceText.Moved, "#preview")
    def _read_on(self, event: SourceText.Moved) -> None:
        event.stop()

    def _was_useful(self) -> None:
        """Counts that the hit was opened, which breaks ties (decision D6)."""
        hit = self.hit
        if hit is not None:
            self.deck.bridge.find(lambda engine: engine.search.found_useful(hit.path), lambda _: None, self.deck.fail)

    def action_copy(self, by: int) -> None:
        """Opens the next copy of the hit, from the transcript up, and after the last one the hit itself."""
        hit = self.hit
        if hit is not None:
            self.hits.copy_number = (self.hits.copy_number + by) % (len(hit.copies) + 1)
            self._settle()
            if self.one_pane:
                self.turn_to("preview")

    def action_edit(self) -> None:
        """Opens the note in the operator's editor, at the line that is looked at."""
        hit = self.shown
        if hit is None:
            return
        line = self.preview.cursor + 1 if self._shown[0] == hit.path and self.current == "preview" else hit.line
        self._was_useful()
        self.deck.bridge.read(
            lambda engine: engine.search.file_to_edit(hit.path),
            lambda path: choices.guarded(self.deck, lambda: edit(self.app, path, line)),
            self.deck.fail,
            group="edit",
        )

    def action_open_in_tree(self) -> None:
        """Shows the note on the Tree screen, where that knows it."""
        hit = self.shown
        if hit is not None:
            self._was_useful()
            choices.open_in_tree(self.deck, hit.path, hit.line)

    def action_life(self) -> None:
        """Follows the line of the hit from its raw log up."""
        hit = self.hit
        if hit is not None:
            self.deck.flows.readers.show_life(hit.path, hit.line)

    def action_links(self) -> None:
        """Lists the links of the note that is shown, and those to it."""
        hit = self.shown
        if hit is not None:
            self.deck.flows.readers.show_links(hit.path)

    def action_more_like_this(self) -> None:
        hit = self.hit
        if hit is not None:
            self.asked = SearchState(self.asked.text, self.asked.filters, like=hit.path)
            self._ask()
            self.turn_to("hits")

    def action_archive(self) -> None:
        """Plans that the note goes to the archive, or comes back from it; nothing moves before that is approved."""
        from engine.lifecycle.archive.request import ArchiveRequest
        from engine.plans.planning import PlanRequest

        hit = self.hit
        if hit is not None:
            asked = PlanRequest(ArchiveRequest((hit.path,)))
            self.deck.flows.dry_runs.start("restore" if hit.archived else "archive", asked)

    def action_scores(self) -> None:
        """Shows of what each score is made, or its date again."""
        self.scores = not self.scores
        self.show_found(self.hit.path if self.hit else "")

    def action_match(self, by: int) -> None:
        """To the next or previous line that holds something of what was looked for."""
        at = self.preview.cursor
        matches = self.lines.matches() if self.lines is not None else ()
        there = [n for n in matches if n > at] if by > 0 else [n for n in reversed(matches) if n < at]
        if there:
            self.preview.go(there[0])

    # What the command line and the other keys ask of every screen

    def show(self, wanted: Place) -> bool:
        """`search WORDS` searches for them; options are the command's, which answers in a window of its own."""
        typed = wanted.words if isinstance(wanted, TypedWords) else ()
        if not typed or any(word == "-n" or word.startswith("--") for word in typed):
            return False
        self._recall(SearchState(" ".join(typed), self.asked.filters))
        return True

    # Narrowing, saving

    def _narrow(self, filters: Filters) -> None:
        self.ask(SearchState(self.asked.text, filters))

    def action_category(self) -> None:
        choices.choose_category(self.deck, self.asked.filters, self._narrow)

    def action_dates(self) -> None:
        choices.choose_dates(self.deck, self.asked.filters, self._narrow)

    def action_operators(self) -> None:
        """Reads `+must`, `-not` and `word*` in the query, or takes them as words again."""
        filters = self.asked.filters
        self._narrow(msgspec.structs.replace(filters, operators=not filters.operators))

    def action_days(self) -> None:
        """Takes away the days that the query speaks of, or lets them count again."""
        self._narrow(msgspec.structs.replace(self.asked.filters, days=not self.asked.filters.days))

    def action_save(self) -> None:
        choices.save(self.deck, self.asked, self._took_saved)

    def action_saved(self) -> None:
        choices.choose_saved(self.deck, self.saved, self._recall)

    def action_forget(self) -> None:
        choices.forget(self.deck, self.saved, self._took_saved)

    def _recall(self, asked: SearchState) -> None:
        self.ask(asked)
        self.turn_to("hits")

    def _read_saved(self) -> None:
        self.deck.bridge.read(lambda engine: engine.search.saved.all(), self._took_saved, self.deck.fail, group="saved")

    def _took_saved(self, saved: tuple[SavedSearch, ...]) -> None:
        self.saved = saved
        if self.asked.nothing:
            self.show_found()
        self.refresh_bindings()

    # Going to and fro

    def action_ask(self) -> None:
        """To the field, at the end of what stands there."""
        self.turn_to("query")
        self.field.action_end()

    @on(Input.Submitted, "#query")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._wait_no_more()
        if self.found is None or self.found.asked != self.asked:
            self._ask()
        self.turn_to("hits")

    def on_key(self, event: events.Key) -> None:
        if self.field.has_focus and event.key in ("down", "pagedown"):
            event.stop()
            self.turn_to("hits")
        elif self.hits.has_focus and event.key == "up" and self.hits.entry == 0:
            event.stop()
            event.prevent_default()
            self.action_ask()

    def leave(self) -> bool:
        """`esc`: from the note to the hits, from what is like a note to the query, from filters to none."""
        if super().leave():
            return True
        if self.current == "preview":
            self.turn_to("hits")
        elif self.current == "query":
            if not self.hits.count:
                self.ask(SearchState("", self.asked.filters))
            self.turn_to("hits")
        elif self.asked.like:
            self.ask(SearchState(self.asked.text, self.asked.filters))
        elif self.asked.filters.any:
            self._narrow(Filters())
        else:
            return False
        return True
