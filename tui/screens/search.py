"""Search: where does it stand? Results as you type, the match in view, and what answered."""

from collections.abc import Sequence
from threading import Event
from time import monotonic
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.search.saved import SavedSearch
from engine.search.values import Hit, Standing
from engine.views import Status
from engine.workspace.values import LineSpan
from tui.editor import edit
from tui.places import PLACES
from tui.port import Engine
from tui.screens import search_choices as choices
from tui.screens.page import Page
from tui.viewmodels import search as view
from tui.viewmodels.search import Asked, Filters, Found
from tui.viewmodels.spans import ListRows, Span
from tui.viewmodels.wording import safe
from tui.widgets.hit_list import TALL, HitList
from tui.widgets.lines import Lines
from tui.widgets.one_line import OneLine
from tui.widgets.source_text import SourceText
from tui.widgets.style import titled

DEBOUNCE_SECONDS = 0.08
"""A query is asked once no key came for so long."""
SETTLE_SECONDS = 0.05
BRING_IN_SECONDS = 0.4
"""How long an answer may wait for changed files; what is still lacking then is brought in behind it."""
MOST = 100
_EVERYTHING = 1 << 30


class Preview(SourceText):
    """The note under the cursor; `enter` opens it in the editor at that line."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,l", "select", "Edit here")]


class SearchPage(Page):
    """A field, the hits below it, and the note of the hit under the cursor."""

    PANES: ClassVar[tuple[str, ...]] = ("query", "hits", "preview")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    SearchPage { layout: vertical; }
    SearchPage #query { height: 3; border: round $border-blurred; padding: 0 1; background: $background; }
    SearchPage #query:focus { border: round $border; background-tint: $background 0%; }
    SearchPage #standing { background: $background; padding: 0 2; }
    SearchPage #trouble { padding: 0 2; }
    SearchPage #found { height: 1fr; }
    SearchPage #hits { width: 46%; max-width: 90; }
    SearchPage #preview { width: 1fr; }
    SearchPage .pane { border: round $border-blurred; padding: 0; }
    SearchPage .pane:focus { border: round $border; }
    .-narrow SearchPage #preview, SearchPage.zoom #preview { display: none; }
    .-narrow SearchPage #hits, SearchPage.zoom #hits { width: 1fr; max-width: 100%; }
    .-narrow SearchPage.at-preview #preview, SearchPage.zoom.at-preview #preview { display: block; }
    .-narrow SearchPage.at-preview #hits, SearchPage.zoom.at-preview #hits { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,i", "ask", "Query", key_display="/"),
        Binding("e", "edit", "Edit"),
        Binding("o", "open_in_tree", "Tree"),
        Binding("m", "more_like_this", "More like this"),
        Binding("w", "scores", "Scores"),
        Binding("c", "category", "Category"),
        Binding("f", "dates", "Dates"),
        Binding("s", "save", "Save"),
        Binding("S", "saved", "Saved"),
        Binding("O", "operators", "Read +must -not word*", show=False),
        Binding("n", "match(1)", "Next match", show=False),
        Binding("N", "match(-1)", "Previous match", show=False),
        Binding("X", "forget", "Forget a saved search", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="search")
        self.asked = Asked()
        self.found: Found | None = None
        self.saved: tuple[SavedSearch, ...] = ()
        self.problem: MemdeckError | None = None
        self._scores = False
        self._waiting: Timer | None = None
        self._settling: Timer | None = None
        self._stop = Event()
        self._busy = False
        self._again = False
        self._shown: tuple[str, int] = ("", 0)
        self._lines: view.NoteLines | None = None
        self._followed: Standing | None = None
        """How far the index was when a question was last asked again for its sake."""

    def compose(self) -> ComposeResult:
        yield Input(id="query", select_on_focus=False, placeholder="words, a question, “a phrase”, an identifier…")
        yield OneLine(ident="standing")
        yield Lines(ident="trouble")
        with Horizontal(id="found"):
            yield HitList(ident="hits")
            yield Preview(ident="preview")

    def on_mount(self) -> None:
        self.hits.add_class("pane")
        self.preview.add_class("pane")
        self._name_panes()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._name_panes())
        self.set_interval(0.3, self._follow_index)
        self._show()

    @property
    def field(self) -> Input:
        return self.query_one("#query", Input)

    @property
    def hits(self) -> HitList:
        return self.query_one("#hits", HitList)

    @property
    def preview(self) -> Preview:
        return self.query_one("#preview", Preview)

    @property
    def hit(self) -> Hit | None:
        """The hit under the cursor."""
        found = self.found.answer.hits if self.found is not None and not self.found.asked.nothing else ()
        return found[self.hits.entry] if self.hits.entry < len(found) else None

    # Asking

    def enter(self) -> None:
        self.turn_to("query" if self.asked.nothing else self.current)
        self._read_saved()

    def show_status(self, status: Status) -> None:
        """The workspace was read anew, so there may be other answers."""
        if self.has_class("here") and not self.asked.nothing:
            self._ask()

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value == self.asked.text and not self.asked.like:
            return
        self.asked = Asked(event.value, self.asked.filters)
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(DEBOUNCE_SECONDS, self._ask)

    def ask(self, asked: Asked) -> None:
        """Puts a whole question, and shows its query in the field."""
        self.asked = asked
        if self.field.value != asked.text:
            with self.prevent(Input.Changed):
                self.field.value = asked.text
        self._ask()

    def _ask(self) -> None:
        """Asks now, or once the search under way has stopped: nobody waits for that one any more."""
        self._stop.set()
        if self.asked.nothing:
            self.found, self.problem = None, None
            self._show()
            return
        self._again = self._busy
        if self._busy:
            return
        self._busy, self._stop = True, Event()
        asked, stop = self.asked, self._stop
        self.deck.bridge.find(lambda engine: _search(engine, asked, stop), self._took, self._could_not)
        self._show_standing()

    def _took(self, found: Found) -> None:
        self._busy = False
        if not self._again or found.asked == self.asked:
            before = self.hit.path if self.hit is not None and self._same_question(found) else ""
            self.found, self.problem = found, None
            self._show(before)
            self.deck.keeper.wake()
        self._next()

    def _same_question(self, found: Found) -> bool:
        return self.found is not None and self.found.asked == found.asked

    def _could_not(self, error: MemdeckError) -> None:
        self._busy = False
        self.found, self.problem = None, error
        self._show()
        self._next()

    def _next(self) -> None:
        if self._again:
            self._again = False
            self._ask()

    # Showing

    def _show(self, stay_on: str = "") -> None:
        """The hits; the cursor stays on the note it was on where the same was asked again."""
        found = None if self.asked.nothing else self.found
        hits = found.answer.hits if found else ()
        index = next((n for n, hit in enumerate(hits) if hit.path == stay_on), 0)
        words = view.empty_words(found, self.asked.filters, len(self.saved))
        if self.problem is not None:
            words = view.error_words(self.problem.title, self.problem.line())
        self.hits.show_empty("", words)
        rows = view.HitRows(found.answer, scores=self._scores) if found else ListRows()
        self.hits.show(rows, TALL * index)
        self.query_one("#trouble", Lines).show(*view.trouble(found))
        self._name_panes()
        self._show_standing()
        self._settle()

    def _show_standing(self) -> None:
        """Filters, who answered, and how far the index is."""
        found = self.found if not self.asked.nothing else None
        row = view.standing_row(found, self.asked.filters, busy=self._busy and self._busy_for_long)
        index = view.index_words(self.deck.keeper.standing, self.deck.keeper.progress)
        if index:
            row = row._replace(left=(*row.left, Span("   "), *index))
        self.query_one("#standing", OneLine).show(row)

    def _follow_index(self) -> None:
        """Asks again what was answered without all of the index, once that is whole."""
        standing = self.deck.keeper.standing
        if standing is not None and standing.is_fresh and standing is not self._followed:
            self._followed = standing
            if self.found is not None and self.found.answer.degraded and not self._busy:
                self._ask()
        self._show_standing()

    @property
    def _busy_for_long(self) -> bool:
        return self.found is None or self._again

    def _name_panes(self) -> None:
        self.field.border_title = titled(self.app.theme, (Span("Search", "title"),))
        count = len(self.found.answer.hits) if self.found and not self.asked.nothing else 0
        name = "Like this" if self.asked.like else "Found"
        figure = (Span(f" ⟨{count}⟩", "muted"),) if count else ()
        self.hits.name_it((Span(name, "title"), *figure), self._other("preview"))

    def _other(self, name: str) -> tuple[Span, ...]:
        return (Span("tab ", "key"), Span(name, "muted")) if self.one_pane else ()

    def on_resize(self) -> None:
        self.call_after_refresh(self._name_panes)

    @on(HitList.Moved, "#hits")
    def _moved(self, event: HitList.Moved) -> None:
        event.stop()
        if self._settling is not None:
            self._settling.stop()
        self._settling = self.set_timer(SETTLE_SECONDS, self._settle)

    def _settle(self) -> None:
        """Shows the note under the cursor, with the match in view."""
        self.refresh_bindings()
        hit, found = self.hit, self.found
        if hit is None or found is None:
            self._shown, self._lines = ("", 0), None
            self.preview.name_it((Span("Note", "title"),))
            self.preview.say((Span("the note under the cursor, with what was found in view", "muted"),))
            return
        words = found.answer.words
        self.deck.bridge.read(
            lambda engine: (hit, view.NoteLines(engine.source_lines(LineSpan(hit.path, 1, _EVERYTHING)), hit, words)),
            self._took_note,
            self._no_note,
            group="note",
        )

    def _took_note(self, read: tuple[Hit, view.NoteLines]) -> None:
        hit, lines = read
        if hit != self.hit:
            return
        self._lines = lines
        self.preview.name_it(view.preview_title(hit), view.preview_foot(hit, len(lines), len(lines.matches())))
        keep = self._shown == (hit.path, hit.line)
        self.preview.show(lines, self.preview.cursor if keep else hit.line - 1)
        self._shown = hit.path, hit.line

    def _no_note(self, error: MemdeckError) -> None:
        self.preview.name_it((Span("Note", "title"),))
        self.preview.say((Span(f"✗ {safe(error.title)}", "blocked"),), (Span(safe(error.line()), "muted"),))

    # What can be done with a hit

    def why_not(self, action: str) -> str:
        if action in ("edit", "open_in_tree", "more_like_this") and self.hit is None:
            return "nothing is selected"
        if action == "edit" and self.deck.read_only:
            return "read-only: an editor could change the note"
        if action == "open_in_tree" and not any(place.id == "tree" for place in PLACES):
            return "there is no tree screen"
        if action == "scores" and self.found is None:
            return "nothing was searched for yet"
        if action == "save" and not self.asked.text.strip():
            return "there is no query to save"
        if action in ("saved", "forget") and not self.saved:
            return "no search is saved yet: s saves one"
        return ""

    def _may(self, action: str) -> bool:
        why = self.why_not(action)
        if why:
            self.deck.say(why, severity="warning")
        return not why

    @on(HitList.Chosen, "#hits")
    def _chosen(self, event: HitList.Chosen) -> None:
        event.stop()
        self._was_useful()
        self.turn_to("preview")

    @on(SourceText.Chosen, "#preview")
    def _edit_there(self, event: SourceText.Chosen) -> None:
        event.stop()
        self.action_edit()

    @on(SourceText.Moved, "#preview")
    def _read_on(self, event: SourceText.Moved) -> None:
        event.stop()

    def _was_useful(self) -> None:
        """Counts that the hit was opened, which breaks ties (decision D6)."""
        hit = self.hit
        if hit is not None:
            self.deck.bridge.find(lambda engine: engine.found_useful(hit.path), lambda _: None, self.deck.fail)

    def action_edit(self) -> None:
        """Opens the note in the operator's editor, at the line that is looked at."""
        hit = self.hit
        if not self._may("edit") or hit is None:
            return
        line = self.preview.cursor + 1 if self._shown[0] == hit.path and self.current == "preview" else hit.line
        self._was_useful()
        self.deck.bridge.read(
            lambda engine: engine.file_to_edit(hit.path),
            lambda path: choices.guarded(self.deck, lambda: edit(self.app, path, line)),
            self.deck.fail,
            group="edit",
        )

    def action_open_in_tree(self) -> None:
        """Shows the note on the Tree screen, where that knows it."""
        hit = self.hit
        if self._may("open_in_tree") and hit is not None:
            self._was_useful()
            choices.open_in_tree(self.deck, hit.path, hit.line)

    def action_more_like_this(self) -> None:
        hit = self.hit
        if self._may("more_like_this") and hit is not None:
            self.asked = Asked(self.asked.text, self.asked.filters, like=hit.path)
            self._ask()
            self.turn_to("hits")

    def action_scores(self) -> None:
        """Shows of what each score is made, or its date again."""
        if self._may("scores"):
            self._scores = not self._scores
            self._show(self.hit.path if self.hit else "")

    def action_match(self, by: int) -> None:
        """To the next or previous line that holds something of what was looked for."""
        at = self.preview.cursor
        matches = self._lines.matches() if self._lines is not None else ()
        there = [n for n in matches if n > at] if by > 0 else [n for n in reversed(matches) if n < at]
        if there:
            self.preview.go(there[0])

    # What the command line and the other keys ask of every screen

    def copy_text(self) -> str:
        """The hit's path and line; in the note, the line under the cursor."""
        if self.current == "preview":
            return super().copy_text()
        return f"{self.hit.path}:{self.hit.line}" if self.hit is not None else ""

    def take_command(self, words: Sequence[str]) -> bool:
        """`search WORDS` searches for them."""
        self._recall(Asked(" ".join(words), self.asked.filters))
        return True

    # Narrowing, saving

    def _narrow(self, filters: Filters) -> None:
        self.ask(Asked(self.asked.text, filters))

    def action_category(self) -> None:
        choices.choose_category(self.deck, self.asked.filters, self._narrow)

    def action_dates(self) -> None:
        choices.choose_dates(self.deck, self.asked.filters, self._narrow)

    def action_operators(self) -> None:
        """Reads `+must`, `-not` and `word*` in the query, or takes them as words again."""
        filters = self.asked.filters
        self._narrow(Filters(filters.category, filters.since, filters.until, not filters.operators))

    def action_save(self) -> None:
        if self._may("save"):
            choices.save(self.deck, self.asked, self._took_saved)

    def action_saved(self) -> None:
        if self._may("saved"):
            choices.choose_saved(self.deck, self.saved, self._recall)

    def action_forget(self) -> None:
        if self._may("forget"):
            choices.forget(self.deck, self.saved, self._took_saved)

    def _recall(self, asked: Asked) -> None:
        self.ask(asked)
        self.turn_to("hits")

    def _read_saved(self) -> None:
        self.deck.bridge.read(lambda engine: engine.saved_searches(), self._took_saved, self.deck.fail, group="saved")

    def _took_saved(self, saved: tuple[SavedSearch, ...]) -> None:
        self.saved = saved
        if self.asked.nothing:
            self._show()
        self.refresh_bindings()

    # Going to and fro

    def action_ask(self) -> None:
        """To the field, at the end of what stands there."""
        self.turn_to("query")
        self.field.action_end()

    @on(Input.Submitted, "#query")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._waiting is not None:
            self._waiting.stop()
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
                self.ask(Asked("", self.asked.filters))
            else:
                self.turn_to("hits")
        elif self.asked.like:
            self.ask(Asked(self.asked.text, self.asked.filters))
        elif self.asked.filters.any:
            self._narrow(Filters())
        else:
            self.turn_to("query")
        return True


def _search(engine: Engine, asked: Asked, stop: Event) -> Found:
    """One question to the engine, in a thread; the console follows the workspace, so it is not listed again."""
    started = monotonic()
    if asked.like:
        answer = engine.more_like_this(asked.like, MOST, look=False)
    else:
        filters = asked.filters
        answer = engine.search(
            asked.text,
            MOST,
            filters.category,
            operators=filters.operators,
            since=filters.since,
            until=filters.until,
            seconds=BRING_IN_SECONDS,
            look=False,
            stop=stop.is_set,
        )
    return Found(asked, answer, (monotonic() - started) * 1000)
