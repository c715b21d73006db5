"""The panes of the Search screen: the field, who answered, the hits, and the note under the cursor."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.search.saved_searches import SavedSearch
from engine.search.values import SearchHit, by_month
from tui.keys.naming import Keyed, bindings
from tui.present.search import rows as view
from tui.present.search.empty import INVITATION, empty_words, error_words
from tui.present.search.preview import NoteLines, at_copy, preview_foot, preview_title
from tui.present.search.question import SearchOutcome, SearchState
from tui.present.search.search_line import index_words, standing_row, trouble, with_index
from tui.present.spans import ListRow, ListRows, Span
from tui.present.strip import strip_of
from tui.present.words import safe
from tui.screens.page import Page
from tui.widgets.hit_list import TALL, HitList
from tui.widgets.lines import LineBlock
from tui.widgets.one_line import OneLine
from tui.widgets.source_text import SourceText
from tui.widgets.style import name_in_colour, style_sheet, titled

_MONTHS_FRAME = 6
"""Cells at both sides of the strip of months."""
SETTLE_SECONDS = 0.05
"""Seconds for which the cursor rests on a hit before its text is read."""


class Preview(SourceText):
    """The note under the cursor; `enter` opens it in the editor at that line."""

    BINDINGS = bindings("Preview")


class HitsPane(HitList):
    """The hits, best first, and which of several copies of one is shown."""

    def __init__(self) -> None:
        super().__init__(ident="hits")
        self.listed: tuple[SearchHit, ...] = ()
        self.copy_number = 0
        """The copy of the hit whose note is shown, counted from 1; 0 is the hit itself."""

    @property
    def hit(self) -> SearchHit | None:
        """The hit under the cursor."""
        return self.listed[self.entry] if self.entry < len(self.listed) else None

    @property
    def shown(self) -> SearchHit | None:
        """The hit under the cursor, at the place of the copy that is shown."""
        return at_copy(self.hit, self.copy_number) if self.hit is not None else None

    def text_to_copy(self) -> str:
        """Gives the hit's path and line."""
        return f"{self.shown.label}:{self.shown.line}" if self.shown is not None else ""


class QueryField(Keyed, Input):
    """The field of the query; its keys stand in the footer, where all others are letters of the query meanwhile."""

    SCOPE = "query"
    BINDINGS = bindings("QueryField")

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


class SearchPanes(Page):
    """A field, the hits below it, and the note of the hit under the cursor."""

    PANES: ClassVar[tuple[str, ...]] = ("query", "hits", "preview")
    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("SearchPage")

    def __init__(self) -> None:
        super().__init__(id="search")
        self.asked = SearchState()
        self.found: SearchOutcome | None = None
        self.saved: tuple[SavedSearch, ...] = ()
        self.problem: MemdeckError | None = None
        self.scores = False
        """True if each hit shows of what its score is made, instead of what was found."""
        self.lines: NoteLines | None = None
        self._shown: tuple[str, int] = ("", 0)
        """Path and line of the hit whose note is in the preview."""
        self._settling: Timer | None = None

    def compose(self) -> ComposeResult:
        yield QueryField(id="query", select_on_focus=False, placeholder=INVITATION)
        yield OneLine(ident="standing")
        yield OneLine(ident="months")
        yield LineBlock(ident="trouble")
        with Horizontal(id="found"):
            yield HitsPane()
            yield Preview(ident="preview")

    def on_mount(self) -> None:
        name_in_colour(self, self._name_panes)
        self.show_found()

    @property
    def field(self) -> Input:
        return self.query_one("#query", Input)

    @property
    def hits(self) -> HitsPane:
        return self.query_one(HitsPane)

    @property
    def preview(self) -> Preview:
        return self.query_one("#preview", Preview)

    @property
    def hit(self) -> SearchHit | None:
        """The hit under the cursor."""
        return self.hits.hit

    @property
    def shown(self) -> SearchHit | None:
        """The hit under the cursor, at the place of the copy that is shown."""
        return self.hits.shown

    @property
    def waits(self) -> bool:
        """Tells whether an answer has been awaited for long."""
        return False

    def turn_to(self, name: str) -> None:
        """Names the panes again: the lower border depends on which panes are shown."""
        super().turn_to(name)
        self._name_panes()

    # The hits, and who found them

    def show_found(self, stay_on: str = "") -> None:
        """The hits; the cursor stays on the note it was on where the same was asked again."""
        found = None if self.asked.nothing else self.found
        hits = found.answer.hits if found else ()
        self.hits.listed, self.hits.copy_number = hits, 0
        index = next((n for n, hit in enumerate(hits) if hit.path == stay_on), 0)
        standing = self.deck.keeper.standing
        no_notes = standing is not None and standing.is_fresh and not standing.files
        words = empty_words(found, self.asked.filters, len(self.saved), no_notes=no_notes)
        if self.problem is not None:
            words = error_words(self.problem.title, self.problem.line())
        self.hits.show_empty("", words)
        lines = self.hits
        rows = view.HitRows(found.answer, lambda: lines.room, scores=self.scores) if found else ListRows()
        self.hits.show(rows, TALL * index)
        self.query_one("#trouble", LineBlock).show(*trouble(found))
        self._show_months()
        self._name_panes()
        self.show_standing()
        self._settle()

    def _show_months(self) -> None:
        """The months of the hits as a strip, where there are several."""
        hits = self.found.answer.hits if self.found is not None and not self.asked.nothing else ()
        strip = strip_of(by_month(hits), self.app.size.width - _MONTHS_FRAME)
        self.set_class(bool(strip), "has-months")
        self.query_one("#months", OneLine).show(ListRow(strip))

    def show_standing(self) -> None:
        """Filters, who answered, and how far the index is."""
        found = self.found if not self.asked.nothing else None
        row = standing_row(found, self.asked.filters, busy=self.waits)
        index = index_words(self.deck.keeper.standing, self.deck.keeper.progress)
        self.query_one("#standing", OneLine).show(with_index(row, index))

    def _name_panes(self) -> None:
        self.field.border_title = titled(self.app.theme, (Span("Search", "title"),))
        count = len(self.found.answer.hits) if self.found and not self.asked.nothing else 0
        name = "Like this" if self.asked.like else "Found"
        figure = (Span(f" ⟨{count}⟩", "muted"),) if count else ()
        self.hits.name_it((Span(name, "title"), *figure), self._other("note") if count else ())

    def _other(self, name: str) -> tuple[Span, ...]:
        return (Span("tab ", "key"), Span(name, "muted")) if self.one_pane else ()

    def on_resize(self) -> None:
        # After the layout, which settles which panes are shown.
        self.call_after_refresh(self._name_panes)
        self.call_after_refresh(self._show_months)
        self.call_after_refresh(self._name_note_again)

    def _name_note_again(self) -> None:
        hit = self.shown
        if hit is not None and self.lines is not None and self._shown == (hit.path, hit.line):
            self._name_note(hit, self.lines)

    # The note under the cursor

    @on(HitList.Moved, "#hits")
    def _moved(self, event: HitList.Moved) -> None:
        event.stop()
        if self._settling is not None:
            self._settling.stop()
        self.hits.copy_number = 0
        self._settling = self.set_timer(SETTLE_SECONDS, self._settle)

    def _settle(self) -> None:
        """Shows the note under the cursor, with the match in view."""
        self.refresh_bindings()
        hit, found = self.shown, self.found
        if hit is None or found is None:
            self._shown, self.lines = ("", 0), None
            self.preview.name_it((Span("Note", "title"),))
            self.preview.say((Span("the note under the cursor, with what was found in view", "muted"),))
            return
        words = found.answer.words
        self.deck.bridge.read(
            lambda engine: (hit, NoteLines(engine.search.note(hit.path), hit, words)),
            self._took_note,
            self._no_note,
            group="note",
        )

    def _took_note(self, read: tuple[SearchHit, NoteLines]) -> None:
        hit, lines = read
        if hit != self.shown:
            return
        self.lines = lines
        self._name_note(hit, lines)
        keep = self._shown == (hit.path, hit.line)
        self.preview.show(lines, self.preview.cursor if keep else hit.line - 1)
        self._shown = hit.path, hit.line

    def _name_note(self, hit: SearchHit, lines: NoteLines) -> None:
        title = preview_title(hit, self.preview.size.width - 4)
        self.preview.name_it(title, preview_foot(hit, len(lines), len(lines.matches()), self.hits.copy_number))

    def _no_note(self, error: MemdeckError) -> None:
        self.preview.name_it((Span("Note", "title"),))
        self.preview.say((Span(f"✗ {safe(error.title)}", "blocked"),), (Span(safe(error.line()), "muted"),))
