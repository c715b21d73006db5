"""Shows the files that agents load (MEMORY.md, USER.md, shards) with their latest changes, and edits them."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen

from engine.errors import MemdeckError
from engine.monitoring.recall.past_tree import PastFile, PastTree
from engine.workspace.layout import is_guarded, is_memory_md
from tui.present.history import recall_rows as rows
from tui.present.search.preview import NoteLines
from tui.present.spans import Line, Span, error_lines, key_line
from tui.present.words import safe
from tui.screens.hosted import OneList, Rest
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.source_text import SourceText
from tui.widgets.text_pane import TextPane

_SETTLE_SECONDS = 0.08  # a file is read once the cursor rests on it


class MemoryScreen(OneList, Screen[None], scope="memory"):
    """Shows the list of files, the selected file, and its latest changes. `e` edits a copy, which becomes a plan."""

    def __init__(self) -> None:
        super().__init__()
        self._files: tuple[PastFile, ...] = ()
        self._settling = Rest(self)

    def compose(self) -> ComposeResult:
        with Vertical(id="beside"):
            yield LineList(ident="files", empty="reading…")
            yield TextPane(ident="changed", hang=2, as_begun=True)
        yield SourceText(ident="note")

    def on_mount(self) -> None:
        self._list.focus()
        self._list.name_it((Span("Memory that agents load", "title"),), key_line(("e", "edit"), ("esc", "back")))
        self.query_one(TextPane).name_it((Span("Changed lately", "title"),))
        now = self.deck.now()
        self.deck.bridge.read(lambda engine: engine.recall.tree(now), self._took, self._could_not)

    def _took(self, tree: PastTree) -> None:
        loaded = [file for path, file in tree.files.items() if is_guarded(path)]
        # MEMORY.md, the other files at the top, then the shards.
        loaded.sort(key=lambda file: (not is_memory_md(file.path), "/" in file.path, file.path))
        self._files = tuple(loaded)
        self._list.show_empty("no file here is loaded by agents")
        self._list.show(rows.NoteRows(self._files, lambda: self._list.room))
        self._read()

    @property
    def _path(self) -> str:
        # Answers come for a screen that was left, too.
        file = self._list.under(self._files) if self.is_attached else None
        return file.path if file is not None else ""

    @on(LineList.Moved, "#files")
    def _moved(self) -> None:
        self._settling.after(_SETTLE_SECONDS, self._read)

    @on(LineList.Chosen, "#files")
    def _chosen(self) -> None:
        self._note.focus()

    @on(SourceText.Chosen, "#note")
    def action_edit(self) -> None:
        """Opens the editor on a copy of the file, at the line under the cursor."""
        if self._path:
            self.deck.flows.dry_runs.edit(self._path, self._note.cursor + 1)

    @property
    def _note(self) -> SourceText:
        return self.query_one(SourceText)

    @property
    def noted_line(self) -> LinePlace | None:
        return LinePlace(self._path, self._note.cursor + 1) if self._path and self._note.count else None

    def _read(self) -> None:
        """Reads the file, then its changes, which takes longer because of git."""
        if not (path := self._path):
            return
        self.query_one(TextPane).show(((Span("looking…", "muted"),),))

        def text(lines: tuple[str, ...]) -> None:
            if path == self._path:
                self._note.name_it((Span(safe(path), "title"),), key_line(("e", "edit")))
                self._note.show(note := NoteLines(lines), note.body, top=note.body)

        def changed(lines: tuple[Line, ...]) -> None:
            if path == self._path:
                self.query_one(TextPane).show(lines)

        self.deck.bridge.read(lambda engine: engine.search.note(path), text, self._could_not)
        read = self.deck.bridge.look
        read(lambda engine: rows.change_lines(engine.recall.timeline(path).versions), changed, self._could_not)

    def _could_not(self, error: MemdeckError) -> None:
        if self.is_attached:
            self.query_one(TextPane).show(error_lines(error))

    def action_back(self) -> None:
        if self._list.has_focus:
            self.dismiss(None)
        else:
            self._list.focus()
