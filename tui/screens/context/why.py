"""Asks why the agent said something: shows an answer, and the lines of its prompt behind it."""

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.services.engine import Engine
from engine.services.origins import AnswerOrigin, AnswerOrigins
from engine.topics.messages import SessionTurn
from tui.dialogs.line_input import AskLine
from tui.present.context import answer_origins as words
from tui.present.spans import NOTHING_SELECTED, Span
from tui.screens.list_beside_pane import ListBesideText
from tui.widgets.line_block import LineBlock
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import LinePlace
from tui.widgets.text_pane import TextPane


class WhyScreen(ListBesideText[AnswerOrigin | None], scope="why"):
    """Shows the agent's last answers, or a pasted one; returns the line to open."""

    def __init__(self, session: SessionKind, source: str = "", line: int = 0) -> None:
        """Takes `source`, a session other than the newest, and the `line` of its file where a turn begins."""
        super().__init__()
        self._session, self._source, self._line = session, source, line
        self._answers: Sequence[SessionTurn] = ()
        self._at = 0
        self._found: AnswerOrigins | None = None

    def compose(self) -> ComposeResult:
        yield LineBlock(ident="answer", hang=8)
        with Container(id="panes"):
            yield LineList(ident="origins", empty="reading…")
            yield TextPane(ident="text", hang=10)

    def on_mount(self) -> None:
        self._list.name_it((Span("Why did it say that?", "title"),), words.ORIGIN_KEYS)
        self._text.name_it((Span("Line", "title"),))
        self.deck.bridge.read(lambda engine: engine.origins.answers(self._source), self._took_answers, self._could_not)

    def _took_answers(self, answers: Sequence[SessionTurn]) -> None:
        self._answers = answers
        if self._line:
            # A turn may begin with a call of a tool: its words come behind the line on which it begins.
            self._at = max((at for at, answer in enumerate(answers) if answer.line >= self._line), default=0)
        if answers:
            self._show_turn()
        else:
            self._list.show_empty("no session has an answer yet\n/ types one, or paste it here")
            self._text.show(NOTHING_SELECTED)

    def action_turn(self, by: int) -> None:
        if self._answers:
            self._at = max(0, min(self._at + by, len(self._answers) - 1))
            self._show_turn()

    def _show_turn(self) -> None:
        turn, session = self._answers[self._at], self._session
        self._read(lambda engine: engine.origins.of_turn(turn.source, session, turn.number))

    def action_type(self) -> None:
        """Asks for an answer of one line; longer ones are pasted on this screen."""
        body = ((Span("One of several lines is pasted on the screen behind.", "muted"),),)
        self.deck.ask(AskLine("Which answer?", "what the agent said", "look into it", body=body), self._typed)

    def _typed(self, text: str) -> None:
        if text:
            session = self._session
            self._read(lambda engine: engine.origins.of_answer(text, session, history=None))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._typed(event.text.strip())

    def _read(self, ask: Callable[[Engine], AnswerOrigins]) -> None:
        self._list.show_empty("compiling…")
        self.deck.bridge.read(ask, self._took, self._could_not)

    def _took(self, origins: AnswerOrigins) -> None:
        self._found = origins
        self.query_one("#answer", LineBlock).show(*words.answer_lines(origins))
        self._list.show_empty(words.NONE)
        self._list.show(words.OriginRows(origins.origins), 0)
        self._look(self._list.cursor)

    def _under(self) -> AnswerOrigin | None:
        return self._list.under(self._found.origins) if self._found is not None else None

    def _look(self, index: int) -> None:
        origin = self._under()
        self._text.show(words.origin_lines(origin) if origin is not None else NOTHING_SELECTED)

    @property
    def noted_line(self) -> LinePlace | None:
        origin = self._under()
        return LinePlace(origin.path, origin.line) if origin is not None and origin.line else None

    def _open(self, index: int) -> None:
        self.dismiss(self._under())

    def _could_not(self, error: MemdeckError) -> None:
        self._list.show_empty(error.line())

    def action_back(self) -> None:
        if self._text.has_focus:
            self._list.focus()
        else:
            self.dismiss(None)
