"""Shows the notes as they were on any day, who wrote a line, and when a text came and went."""

from contextlib import closing
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Container

from engine.errors import Cancelled, MemdeckError
from engine.monitoring.recall.occurrences import Occurrence
from engine.monitoring.recall.past_tree import PastFile, PastTree
from engine.monitoring.recall.timeline import Reach
from engine.services.engine import Engine
from engine.workspace.values import Tick
from tui.dialogs.line_input import AskLine
from tui.present.history import recall_rows as rows
from tui.present.history.recall_words import tree_words
from tui.present.spans import NOTHING_SELECTED, Line, Span, key_line
from tui.present.words import safe
from tui.screens.hosted import Rest
from tui.screens.list_beside_pane import ListBesideText
from tui.widgets.line_block import LineBlock
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.text_pane import TextPane

_SETTLE_SECONDS = 0.08  # the notes of a day are read once the slider rests on it

_EVERY = "*"  # the filter that lets every note through


class RecallScreen(ListBesideText[None], scope="recall"):
    """A slider through time above the notes of that day; `w` asks when a text came and went."""

    def __init__(self, now: datetime) -> None:
        super().__init__()
        self._now = now
        self._reaches: tuple[Reach, ...] = ()
        self._days: tuple[datetime, ...] = (now,)
        self._at = 0
        self._tree: PastTree | None = None
        self._files: dict[str, PastFile] = {}
        self._words: tuple[str, ...] = ()
        """The words of the filter, which stays until it is cleared."""
        self._path = ""
        self._face = "text"
        self._asked = ""
        self._answers: list[Occurrence] = []
        self._over = True
        self._settling = Rest(self)

    def compose(self) -> ComposeResult:
        yield LineBlock(ident="slider")
        with Container(id="panes"):
            yield LineList(ident="notes", empty="reading…")
            yield TextPane(ident="text", hang=2, as_begun=True)

    def on_mount(self) -> None:
        self._words = self.deck.filters.get("recall", ())
        self._show_slider()
        self.deck.bridge.read(lambda engine: engine.recall.reaches(), self._took_reaches, self._could_not)

    def _took_reaches(self, reaches: tuple[Reach, ...]) -> None:
        self._reaches, self._days = reaches, rows.days_of(reaches, self._now)
        self._at = len(self._days) - 1
        self._read_tree()

    def _show_slider(self) -> None:
        self.query_one("#slider", LineBlock).show(rows.slider(self._days, self._at), *rows.reach_lines(self._reaches))

    # The notes of a day

    def action_slide(self, days: int) -> None:
        """Moves the slider, and reads the notes of that day after a rest."""
        self._at = max(0, min(self._at + days, len(self._days) - 1))
        self._show_slider()
        self._settling.after(_SETTLE_SECONDS, self._read_tree)

    def action_date(self) -> None:
        """Goes to a typed time: to the first day of the slider that is not before it."""

        def go(at: datetime) -> None:
            self._at = next((index for index, day in enumerate(self._days) if day >= at), len(self._days) - 1)
            self._read_tree()

        def typed(text: str) -> None:
            self.deck.bridge.read(lambda engine: engine.recall.instant(text), go)

        self.deck.ask(AskLine("Which day?", "3w, 2026-03-01, yesterday, a tag or a commit", "goes there"), typed)

    def action_filter(self) -> None:
        """Lists only notes whose paths contain all words, until an empty line clears the filter."""

        def typed(text: str) -> None:
            if self._tree is not None:
                self._words = tuple(text.casefold().split()) if text != _EVERY else ()
                self.deck.filters["recall"] = self._words
                self._took_tree(self._tree)

        ask = AskLine("Which notes?", "words of the path; none: all notes", "lists them", instead=_EVERY)
        self.deck.ask(ask, typed)

    def _read_tree(self) -> None:
        at = self._days[self._at]
        self._show_slider()
        self.deck.bridge.read(lambda engine: engine.recall.tree(at), self._took_tree, self._could_not)

    def _took_tree(self, tree: PastTree) -> None:
        if tree.at != self._days[self._at]:
            return
        self._tree, self._asked = tree, ""
        self._files = {
            path: file for path, file in tree.files.items() if all(word in path.casefold() for word in self._words)
        }
        paths = list(self._files)
        index = paths.index(self._path) if self._path in self._files else 0
        self._path = paths[index] if paths else ""
        self._list.show_empty("no note has these words" if self._words else "no note is known at that time")
        only: Line = (Span(f"  /{safe(' '.join(self._words))} ⟨{len(paths):,}⟩", "accent"),) if self._words else ()
        keys = key_line(("/", "filter"), ("@", "date"), ("w", "when…"), ("h", "held…"), ("esc", "back"))
        self._list.name_it((Span("Notes", "title"), *only, Span(f"  {tree_words(tree)[0]}", "muted")), keys)
        self._list.show(rows.NoteRows(tuple(self._files.values()), lambda: self._list.room), index)
        self._show_note()

    def _look(self, index: int) -> None:
        if self._asked:
            self._show_answer(index)
        elif self._tree is not None:
            self._path = list(self._files)[index]
            self._show_note()

    def _open(self, index: int) -> None:
        if not self._asked:
            self._text.focus()
            return
        answer = self._answers[index]
        later = (index for index, day in enumerate(self._days) if day >= answer.at)
        self._at, self._path = next(later, len(self._days) - 1), answer.path
        self._read_tree()

    def action_turn(self, face: str) -> None:
        """Shows the authors of lines, or the comparison with now; the same key again shows the note."""
        self._face = "text" if self._face == face else face
        self._show_note()

    def action_revert(self) -> None:
        """Plans restoring the note as it was on that day; of an answer, forgetting its line."""
        if self._asked and self.noted_line is not None and self.deck.may_write():
            self.deck.flows.dry_runs.forget(self.noted_line)
        elif not self._asked and self._path:
            self.deck.flows.dry_runs.revert(f"{self._path}@{self._days[self._at].isoformat()}")

    @property
    def noted_line(self) -> LinePlace | None:
        """The first line of the answer under the cursor, when it came or went; None without one."""
        answer = self._list.under(self._answers) if self._asked else None
        return LinePlace(answer.path, *answer.lines[0]) if answer is not None and answer.lines else None

    def action_held(self) -> None:
        from tui.screens.history.held_facts import HeldScreen

        self.app.push_screen(HeldScreen(self._days[self._at].date(), self._now.date()))

    def _show_note(self) -> None:
        path, at, face = self._path, self._days[self._at], self._face
        self._text.name_it(self._title(), key_line(("b", "who wrote it"), ("d", "against now"), ("x", "restore")))
        if not path or self._asked:
            self._say(*(() if self._asked else NOTHING_SELECTED))
        else:
            self._read_text(lambda engine: _lines(engine, path, at, face))

    def _title(self) -> Line:
        face = {"text": "", "blame": "  who wrote each line, now", "diff": "  against now"}[self._face]
        return (Span(safe(self._path) or "Note", "title"), Span(face, "info"))

    # When a text came and went

    def action_when(self) -> None:
        """Asks for words, and shows when they came and went as answers are found."""
        self.deck.ask(AskLine("When was it learnt?", "words as they stand in the note", "ask"), self._ask)

    def _ask(self, text: str) -> None:
        self.deck.bridge.cancel()
        self._asked, self._answers, self._over = text, [], False
        self._show_answers()

        def look(engine: Engine, tick: Tick) -> str:
            with closing(engine.recall.when(text, tick)) as occurrences:
                for occurrence in occurrences:
                    self.app.call_later(self._took_answer, text, occurrence)
            return text

        self.deck.bridge.look_on("recall", look, self._took_all, self._could_not)
        self.deck.show_work_soon()

    def _took_answer(self, text: str, occurrence: Occurrence) -> None:
        if self.is_attached and text == self._asked:
            self._answers.append(occurrence)
            self._show_answers()

    def _took_all(self, text: str) -> None:
        if self.is_attached and text == self._asked:
            self._over = True
            self._show_answers()

    def _show_answers(self) -> None:
        keys = key_line(("enter", "that day"), ("esc", "the notes"))
        self._list.name_it(rows.answers_title(self._asked, len(self._answers), over=self._over), keys)
        self._list.show_empty("never, as far as anybody knows" if self._over else "looking…")
        self._list.show(rows.AnswerRows(self._answers), self._list.cursor)
        self._show_answer(self._list.cursor)

    def _show_answer(self, index: int) -> None:
        self._text.name_it((Span("Answer", "title"),))
        self._say(*(rows.answer_lines(self._answers[index]) if index < len(self._answers) else ()))

    # Leaving

    def _could_not(self, error: MemdeckError) -> None:
        if not isinstance(error, Cancelled):
            self._over = True
            super()._could_not(error)

    def action_back(self) -> None:
        """Goes from the text to the list, from the answers to the notes, from the notes to History."""
        if self._text.has_focus:
            self._list.focus()
        elif self._asked:
            self.deck.bridge.cancel()
            self._asked = ""
            self._read_tree()
        else:
            self.dismiss(None)


def _lines(engine: Engine, path: str, at: datetime, face: str) -> tuple[Line, ...]:
    match face:
        case "blame":
            return rows.blame_lines(engine.recall.blame(path))
        case "diff":
            return rows.diff_lines(engine.recall.diff(at, below=path).diffs)
        case _:
            return rows.text_lines(engine.recall.show(path, at))
