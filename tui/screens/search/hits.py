"""Shows the hits of a search in two lines each, and the note of the selected one."""

from textual import on
from textual.strip import Strip

from engine.errors import MemdeckError
from engine.search.values import SearchHit
from tui.present.search.preview import NoteLines, at_copy, preview_foot, preview_title
from tui.present.spans import Rows, Span, error_lines
from tui.screens.hosted import Hosted
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.segments import fitted, strip
from tui.widgets.source_text import SourceText

TALL = 2  # lines of each hit: its name and score, and the place that answers


class HitsPane(LineList):
    """The hits, best first, in two rows each; knows which copy of the selected one is shown."""

    def __init__(self) -> None:
        super().__init__(ident="hits")
        self.listed: tuple[SearchHit, ...] = ()
        self.copy_number = 0  # the copy of the hit whose note is shown, counted from 1; 0 is the hit itself

    @property
    def entry(self) -> int:
        """The index of the hit under the cursor."""
        return self.cursor // TALL

    def show(self, rows: Rows, cursor: int | None = None) -> None:
        super().show(rows, cursor)
        self.cursor -= self.cursor % TALL
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        if index >= self.count or index != self.cursor + 1:
            return super().render_line(y)
        width, row = self.scrollable_content_region.width, self._rows.row(index)
        lead = Span("▌" if self.has_focus or self.lit else "▏", "accent")
        return strip(self, fitted(row._replace(left=(lead, *row.left)), self.room + 1), width, self._cursor_style())

    def go(self, index: int) -> None:
        index = max(0, min(index, self.count - 1))
        before = self.cursor
        super().go(index - index % TALL)
        if before != self.cursor:
            self.refresh_line(before + 1)
            self.refresh_line(self.cursor + 1)

    def _into_view(self) -> None:
        super()._into_view()
        height = max(TALL, self.scrollable_content_region.height)
        if self.cursor + TALL > self.scroll_offset.y + height:
            self.scroll_to(y=self.cursor + TALL - height, animate=False)

    def action_move(self, by: int) -> None:
        self.go(self.cursor + TALL * by)

    def at_line(self, y: int) -> int | None:
        return y - y % TALL if y < self.count else None

    @property
    def hit(self) -> SearchHit | None:
        return self.listed[self.entry] if self.entry < len(self.listed) else None

    @property
    def shown(self) -> SearchHit | None:
        """The hit under the cursor, moved to the shown copy; None without one."""
        return at_copy(self.hit, self.copy_number) if self.hit is not None else None

    def text_to_copy(self) -> str:
        """Returns the hit's path and line; empty without one."""
        return f"{self.shown.label}:{self.shown.line}" if self.shown is not None else ""


class Preview(Hosted, SourceText, scope="preview"):
    """The note of the selected hit with the match visible; `enter` opens it in the editor."""

    def __init__(self, hits: HitsPane) -> None:
        super().__init__(ident="preview")
        self._list = hits
        self._note: NoteLines | None = None
        self._of: tuple[str, int] = ("", 0)  # path and line of the hit whose note is shown

    def show_hit(self, words: tuple[str, ...] | None) -> None:
        """Shows the note of the hit with the query's words marked; None if nothing was asked."""
        hit = self._list.shown
        if hit is None or words is None:
            self._of, self._note = ("", 0), None
            self.name_it((Span("Note", "title"),))
            self.say((Span("the note under the cursor, with what was found in view", "muted"),))
            return
        self.deck.bridge.read(
            lambda engine: (hit, NoteLines(engine.search.note(hit.path), hit, words)), self._took, self._could_not
        )

    def _took(self, read: tuple[SearchHit, NoteLines]) -> None:
        hit, self._note = read
        if hit == self._list.shown:
            keep, self._of = self._of == (hit.path, hit.line), (hit.path, hit.line)
            self.name_note()
            at = self.cursor if keep else hit.line - 1
            self.show(self._note, at, top=self._note.body if at >= self._note.body else 0)

    def name_note(self) -> None:
        """Sets the title to the note's path, shortened to fit, and the lower border to its facts."""
        hit, note = self._list.shown, self._note
        if hit is not None and note is not None and self._of == (hit.path, hit.line):
            foot = preview_foot(hit, len(note), len(note.matches()), self._list.copy_number)
            self.name_it(preview_title(hit, self.size.width - 4), foot)

    def _could_not(self, error: MemdeckError) -> None:
        self.name_it((Span("Note", "title"),))
        self.say(*error_lines(error))

    @on(SourceText.Chosen)
    async def _edit_there(self) -> None:
        await self.app.run_action("edit", self.screen.query_one("#search"))

    # What can be done with a hit

    def lacks_editing(self) -> str:
        return "read-only: an editor could change the note" if self.deck.read_only else ""

    def was_useful(self) -> None:
        """Counts that the hit was opened, which breaks ties (decision D6)."""
        if (hit := self._list.hit) is not None:
            self.deck.bridge.find(lambda engine: engine.search.found_useful(hit.path), lambda _: None)

    def action_edit(self) -> None:
        """Opens a copy of the note in the operator's editor at the current line; the saved text becomes a plan."""
        if (hit := self._list.shown) is None:
            return
        line = self.cursor + 1 if self._of[0] == hit.path and self.has_class("current") else hit.line
        self.was_useful()
        self.deck.flows.dry_runs.edit(hit.path, line)

    def action_open_in_tree(self) -> None:
        """Shows the note on the Tree page, or in a reader if the tree does not have it."""
        if (hit := self._list.shown) is not None:
            self.was_useful()
            self.deck.call_later(self.deck.open_file, hit.path, hit.line)

    def action_life(self) -> None:
        if (hit := self._list.hit) is not None:
            self.deck.flows.readers.show_life(hit.path, hit.line)

    @property
    def noted_line(self) -> LinePlace | None:
        """The line under the cursor in the note, else the line of the hit; None without a hit."""
        hit, note = self._list.shown, self._note
        if hit is not None and note is not None and self._of[0] == hit.path and self.has_class("current") and len(note):
            return LinePlace(hit.path, self.cursor + 1)
        return LinePlace(hit.path, hit.line) if hit is not None else None

    def action_links(self) -> None:
        if (hit := self._list.shown) is not None:
            self.deck.flows.readers.show_links(hit.path)

    def action_archive(self) -> None:
        from engine.lifecycle.requests import ArchiveRequest
        from engine.plans.planning import PlanRequest

        if (hit := self._list.hit) is not None:
            asked = PlanRequest(ArchiveRequest((hit.path,)))
            self.deck.flows.dry_runs.start("restore" if hit.archived else "archive", asked)

    def action_match(self, by: int) -> None:
        """Goes to the next or previous line with a word of the query."""
        at, matches = self.cursor, self._note.matches() if self._note is not None else ()
        there = [n for n in matches if n > at] if by > 0 else [n for n in reversed(matches) if n < at]
        if there:
            self.go(there[0])
