"""Defines the Search page: where does it stand? Hits while typing, the match, and the search method."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.search.values import IndexState, SearchHit, by_month
from tui.bridge.facts import StatusRead
from tui.present.count_strip import strip_of
from tui.present.search import hit_rows as view
from tui.present.search.hit_rows import empty_words, index_words, standing_row, trouble, with_index
from tui.present.search.query_filters import SearchOutcome, SearchState
from tui.present.spans import ListRow, ListRows, Span, error_lines, hint
from tui.screens.hosted import Rest
from tui.screens.page import FieldPage, Place, TypedWords
from tui.screens.search.hits import TALL, HitsPane, Preview
from tui.screens.search.query_field import LiveQuery, QueryField
from tui.widgets.line_block import LineBlock
from tui.widgets.one_line import OneLine
from tui.widgets.searchable_pane import LinePlace

DEBOUNCE_SECONDS = 0.08  # a query is asked once no key came for so long
_MONTHS_FRAME = 6  # cells at both sides of the strip of months
SETTLE_SECONDS = 0.05  # seconds for which the cursor rests on a hit before its text is read


class SearchPage(FieldPage, scope="search"):
    """Searches while typing, narrows, saves, and opens a hit in the tree, an editor, or as a query."""

    PANES: ClassVar[tuple[str, ...]] = ("query", "hits", "preview")

    def __init__(self) -> None:
        super().__init__(id="search")
        self.found: SearchOutcome | None = None
        self.problem: MemdeckError | None = None
        self.scores = False  # true if each hit shows of what its score is made, instead of what was found
        self.asking = LiveQuery(lambda: self.deck.bridge, self._took, self._could_not)
        self._waiting, self._settling = Rest(self), Rest(self)
        self._followed: IndexState | None = None
        """The state of the index when the page last repeated a query because of it."""

    def compose(self) -> ComposeResult:
        yield QueryField()
        yield OneLine(ident="standing")
        yield OneLine(ident="months")
        yield LineBlock(ident="trouble")
        with Horizontal(id="found"):
            yield (hits := HitsPane())
            yield Preview(hits)

    def on_mount(self) -> None:
        self.field.name_it((Span("Search", "title"),))
        self.show_found()
        self.set_interval(0.3, self._follow_index)
        self.deck.facts.follow(StatusRead, self._ask_again)

    @property
    def field(self) -> QueryField:
        return self.query_one(QueryField)

    @property
    def asked(self) -> SearchState:
        return self.field.asked

    @property
    def hits(self) -> HitsPane:
        return self.query_one(HitsPane)

    @property
    def preview(self) -> Preview:
        return self.query_one("#preview", Preview)

    @property
    def noted_line(self) -> LinePlace | None:
        return self.preview.noted_line

    @property
    def hit(self) -> SearchHit | None:
        return self.hits.hit

    def turn_to(self, name: str) -> None:
        """Brings a pane to the front, and names the panes again, whose borders depend on what is shown."""
        super().turn_to(name)
        self._name_panes()

    # The hits, and who found them

    def show_found(self, stay_on: str = "") -> None:
        """Shows the hits; after a repeated query the cursor stays on its note."""
        outcome = None if self.asked.nothing else self.found
        hits = outcome.answer.hits if outcome else ()
        self.hits.listed, self.hits.copy_number = hits, 0
        index = next((n for n, hit in enumerate(hits) if hit.path == stay_on), 0)
        standing = self.deck.keeper.standing
        no_notes = standing is not None and standing.is_fresh and not standing.files
        words = empty_words(outcome, self.asked.filters, len(self.field.saved), no_notes=no_notes)
        if self.problem is not None:
            words = error_lines(self.problem)
        self.hits.show_empty("", words)
        rows = view.HitRows(outcome.answer, lambda: self.hits.room, scores=self.scores) if outcome else ListRows()
        self.hits.show(rows, TALL * index)
        self.query_one("#trouble", LineBlock).show(*trouble(outcome))
        self._show_months()
        self._name_panes()
        self.show_standing()
        self._show_note()

    def _show_months(self) -> None:
        strip = strip_of(by_month(self.hits.listed), self.app.size.width - _MONTHS_FRAME)
        self.set_class(bool(strip), "has-months")
        self.query_one("#months", OneLine).show(ListRow(strip))

    def show_standing(self) -> None:
        row = standing_row(None if self.asked.nothing else self.found, self.asked.filters, busy=self.asking.is_slow)
        index = index_words(self.deck.keeper.standing, self.deck.keeper.progress)
        self.query_one("#standing", OneLine).show(with_index(row, index))

    def _name_panes(self) -> None:
        count = len(self.hits.listed)
        name = "Like this" if self.asked.like else "Found"
        figure = (Span(f" ⟨{count}⟩", "muted"),) if count else ()
        self.hits.name_it((Span(name, "title"), *figure), hint("`tab `note") if count and self.one_pane else ())

    def on_resize(self) -> None:
        # After the layout, which settles which panes are shown.
        for show in (self._name_panes, self._show_months, self.preview.name_note):
            self.call_after_refresh(show)

    # Asking

    def enter(self) -> None:
        self.turn_to("query" if self.asked.nothing else self.current)
        self.field.read_saved()

    def _ask_again(self, _: StatusRead) -> None:
        if self.has_class("here") and not self.asked.nothing:
            self._ask()

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        if event.value == self.asked.text and not self.asked.like:
            return
        if bool(event.value) != bool(self.asked.text):  # `?` is a letter from now on, or lists the keys again
            self.refresh_bindings()
        self.field.asked = SearchState(event.value, self.asked.filters)
        self._waiting.after(DEBOUNCE_SECONDS, self._ask)

    def ask(self, asked: SearchState) -> None:
        """Asks a question, and shows its query in the field."""
        self.field.asked = asked
        if self.field.value != asked.text:
            with self.prevent(Input.Changed):
                self.field.value = asked.text
        self._waiting.stop()
        self._ask()

    def _ask(self) -> None:
        self.asking.ask(self.asked)
        if self.asked.nothing:
            self.found, self.problem = None, None
            self.show_found()
        else:
            self.show_standing()

    def _took(self, outcome: SearchOutcome) -> None:
        same = self.found is not None and self.found.asked == outcome.asked
        before = self.hit.path if same and self.hit is not None else ""
        self.found, self.problem = outcome, None
        self.show_found(before)
        self.deck.keeper.wake()

    def _could_not(self, error: MemdeckError) -> None:
        self.found, self.problem = None, error
        self.show_found()

    def _follow_index(self) -> None:
        """Repeats a query that was answered by a partial index, once it is complete."""
        standing = self.deck.keeper.standing
        if standing is not None and standing.is_fresh and standing is not self._followed:
            self._followed = standing
            if self.found is not None and self.found.answer.degraded and not self.asking.busy:
                self._ask()
        self.show_standing()

    # Hits

    def lacks_hit(self) -> str:
        return "" if self.hit is not None else "nothing is selected"

    def lacks_copies(self) -> str:
        return "" if self.hit is not None and self.hit.copies else "no other file says the same"

    def lacks_found(self) -> str:
        if self.hit is not None:
            return ""
        return "nothing was found" if self.found is not None else "nothing was searched for yet"

    @on(HitsPane.Chosen, "#hits")
    def _chosen(self) -> None:
        self.preview.was_useful()
        self.turn_to("preview")

    @on(HitsPane.Moved, "#hits")
    def _moved(self, event: HitsPane.Moved) -> None:
        self.hits.copy_number = 0
        self._settling.after(SETTLE_SECONDS, self._show_note)

    def _show_note(self) -> None:
        self.refresh_bindings()
        self.preview.show_hit(self.found.answer.words if self.found is not None else None)

    def action_copy(self, by: int) -> None:
        """Shows the next copy of the hit (transcript, log, day …), and after the last the hit itself."""
        if (hit := self.hit) is not None:
            self.hits.copy_number = (self.hits.copy_number + by) % (len(hit.copies) + 1)
            self._show_note()
            if self.one_pane:
                self.turn_to("preview")

    def action_more_like_this(self) -> None:
        if (hit := self.hit) is not None:
            self.field.asked = SearchState(self.asked.text, self.asked.filters, like=hit.path)
            self._ask()
            self.turn_to("hits")

    def action_scores(self) -> None:
        self.scores = not self.scores
        self.show_found(self.hit.path if self.hit else "")

    # What the command line and the other keys ask of every screen

    def show(self, wanted: Place) -> bool:
        """Searches the words of `search WORDS`; words with options go to the command instead."""
        typed = wanted.words if isinstance(wanted, TypedWords) else ()
        if not typed or any(word == "-n" or word.startswith("--") for word in typed):
            return False
        self.ask(SearchState(" ".join(typed), self.asked.filters))
        self.turn_to("hits")
        return True

    @on(QueryField.Wanted)
    def _wanted(self, event: QueryField.Wanted) -> None:
        self.ask(event.asked)
        if event.recalled:
            self.turn_to("hits")

    # Going to and fro

    @on(Input.Submitted, "#query")
    def _submitted(self) -> None:
        self._waiting.stop()
        if self.found is None or self.found.asked != self.asked:
            self._ask()
        self.turn_to("hits")

    def leave(self) -> bool:
        """Goes from the note to the hits, from similar notes to the query, from filters to none."""
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
            self.ask(SearchState(self.asked.text))
        else:
            return False
        return True
