"""Shows the timeline of a followed session: its window by turn, memory's part in each turn, and the prompt then."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from engine.context.compile.prompt import CompiledPrompt
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.services.flushes import SessionTimeline
from engine.sessions.window.session_window import SessionWindow
from engine.topics.messages import SessionTurn
from tui.dialogs.text_reader import TextReader
from tui.present import session_timeline as view
from tui.present.context.prompt_rows import PromptLines
from tui.present.spans import Line, Span, error_lines, key_line
from tui.screens.hosted import Hosted, Rest
from tui.widgets.picture import Picture
from tui.widgets.text_pane import TextPane

_REST_SECONDS = 0.15  # a turn is read once the cursor stands on it for so long
_LOOK_SECONDS = 2.0  # the interval at which it is looked whether the session went on: only what is new is read
_KEYS = key_line(("enter", "the prompt then"), ("←/→", "turn"), ("n/N", "next change"), ("w", "why"), ("esc", "back"))


class TimelineScreen(Hosted, Screen[None], scope="timeline"):
    """Shows the curve above, and below what was said and what memory did in the selected turn."""

    AUTO_FOCUS = ""

    def __init__(self, timeline: SessionTimeline) -> None:
        """Takes a `timeline` that may have only the window; the rest is read later."""
        super().__init__()
        self.timeline = timeline
        self.number = len(timeline.window.timeline.turns)  # the turn under the cursor, from 1
        self._rest = Rest(self)

    def compose(self) -> ComposeResult:
        yield Picture(ident="curve")
        with Container(id="panes"):
            yield TextPane(ident="said", hang=6)
            yield TextPane(ident="memory", hang=8)

    def on_mount(self) -> None:
        for pane in self.query(TextPane):
            pane.can_focus = False
        self._show()
        self._read()
        if self.deck.motion:
            self.set_interval(_LOOK_SECONDS, self._look)

    def _read(self) -> None:
        name = self.timeline.window.source
        self.deck.bridge.read(lambda engine: engine.flushes.timeline(name), self._took, self._could_not)

    def _look(self) -> None:
        """Reads all again if the session has a new turn; a cursor on the last turn follows."""

        def took(window: SessionWindow) -> None:
            if self.is_attached and window.timeline != self.timeline.window.timeline:
                self._read()

        name = self.timeline.window.source
        self.deck.bridge.read(lambda engine: engine.windows.session(name), took, lambda _: None)

    def _took(self, timeline: SessionTimeline) -> None:
        ended = self.number == len(self.timeline.window.timeline.turns)
        self.timeline = timeline
        self.number = len(timeline.window.timeline.turns) if ended else self.number
        self._show()

    def _show(self) -> None:
        timeline, number, dots = self.timeline, self.number, self.deck.dots
        picture = self.query_one("#curve", Picture)
        picture.name_it(view.title(timeline), _KEYS)
        shows = (number, timeline.window.timeline, len(timeline.touched), len(timeline.saved), dots)
        picture.show(shows, lambda width, height: view.drawn(timeline, number, width, height, dots))
        if number:
            memory = self.query_one("#memory", TextPane)
            memory.name_it((Span("Memory then", "title"),))
            memory.show(view.memory_lines(timeline, number))
            self.query_one("#said", TextPane).name_it(view.turn_title(timeline, number))
            self._rest.after(_REST_SECONDS, self._read_turn)

    def _read_turn(self) -> None:
        source, number = self.timeline.window.source, self.number

        def took(turns: Sequence[SessionTurn]) -> None:
            if self.is_attached and number == self.number:
                self.query_one("#said", TextPane).show(view.said_lines(turns, self._line))

        self.deck.bridge.read(lambda engine: engine.context.turns(source), took, self._could_not)

    @property
    def _line(self) -> int:
        return self.timeline.window.timeline.turns[self.number - 1].line

    def _could_not(self, error: MemdeckError) -> None:
        self.query_one("#said", TextPane).show(error_lines(error))

    def _go(self, number: int) -> None:
        number = max(1, min(number, len(self.timeline.window.timeline.turns)))
        if self.number and number != self.number:
            self.number = number
            self._show()

    def action_turn(self, by: int) -> None:
        self._go(self.number + by)

    def action_change(self, by: int) -> None:
        """Goes to the next or previous turn in which something happened."""
        marked = self.timeline.marked
        ahead = (
            [turn for turn in marked if turn > self.number]
            if by > 0
            else [turn for turn in marked if turn < self.number]
        )
        if ahead:
            self._go(ahead[0] if by > 0 else ahead[-1])

    def action_why(self) -> None:
        if not self.number:
            return
        from tui.screens.context.why import WhyScreen

        self.app.push_screen(WhyScreen(SessionKind.MAIN, self.timeline.window.source, self._line))

    def action_prompt(self) -> None:
        """Compiles the prompt for the message of the turn with the notes of that time."""
        if not self.number:
            return
        source, line = self.timeline.window.source, self._line
        self.deck.say("compiling the prompt of then…", about="then")
        self.deck.bridge.read(lambda engine: engine.comparisons.then(source, line, SessionKind.MAIN), self._show_prompt)

    def _show_prompt(self, compiled: tuple[CompiledPrompt, bool]) -> None:
        prompt, known = compiled
        self.deck.over("then")
        lines = PromptLines(prompt)
        shown: list[Line] = [(*lines.roles(at), Span(lines.origin(at), "muted")) for at in range(len(lines))]
        by = "" if known else ", by the notes of today: those of then are not known"
        if self.is_current:
            self.app.push_screen(TextReader(f"The prompt then, {prompt.tokens:,} tokens{by}", tuple(shown)))
