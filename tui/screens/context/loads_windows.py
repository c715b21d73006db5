"""Defines the panes beside the prompt: what platforms load today, and the windows of followed sessions."""

from dataclasses import dataclass

from textual import on
from textual.message import Message

from engine.context.compile.prompt import CompiledPrompt
from engine.context.platforms.platform import SessionKind
from engine.services.engine import Engine
from engine.sessions.window.session_window import SessionWindow
from tui.present.context import prompt_rows as view
from tui.present.context_window import session_rows
from tui.present.spans import Line, ListRows, Span
from tui.screens.hosted import Hosted
from tui.widgets.line_list import LineList
from tui.widgets.source_text import SourceText


class LoadsPane(Hosted, LineList):
    """Lists the files that platforms load at the start of a session."""

    @dataclass
    class FileWanted(Message):
        """Asks to open a file at a line."""

        path: str
        line: int

    def __init__(self) -> None:
        super().__init__(ident="loads", empty="reading…")
        self.session = SessionKind.MAIN
        self.listed: tuple[view.LoadRow, ...] = ()
        self._loads: view.Loads = {}
        self._seen: view.Seen = {}

    def read(self) -> None:
        self.deck.bridge.read(_loads, self._took)

    def _took(self, answer: tuple[view.Loads, view.Seen]) -> None:
        self._loads, self._seen = answer
        self.show_loads(self.session)

    def show_loads(self, session: SessionKind) -> None:
        self.session = session
        self.listed = view.load_rows(self._loads, session, self._seen, self.deck.now())
        self.show(ListRows([load.row for load in self.listed]))
        self.name_it(self.title(), self.foot_words)

    foot_words: Line = ()  # the words of the lower border

    def title(self) -> Line:
        return view.loads_title(self._loads, self.session)

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        chosen = self.listed[event.index]
        self.post_message(self.FileWanted(chosen.path, chosen.line))


class PromptText(Hosted, SourceText):
    """Shows the prompt as sent; `enter` opens the file of a line."""

    def __init__(self) -> None:
        super().__init__(ident="prompt")
        self.lines: view.PromptLines | None = None
        self._prompt: CompiledPrompt | None = None

    def show_prompt(self, prompt: CompiledPrompt | None, words: tuple[Line, ...]) -> None:
        """Shows a prompt, or `words` instead; the cursor stays on its row."""
        self._prompt = prompt
        self.lines = view.PromptLines(prompt) if prompt is not None else None
        if self.lines is not None:
            self.show(self.lines, self.cursor)
        else:
            self.say(*words)

    def show_item(self, number: int) -> None:
        line = self.lines.line_of.get(number) if self.lines is not None else None
        if line is not None and self.lines is not None:
            self.show(self.lines, line, top=line)

    @on(SourceText.Chosen)
    def _open(self, event: SourceText.Chosen) -> None:
        if self._prompt is not None and self.lines is not None:
            item = self._prompt.items[self.lines.item_at(event.index)]
            self.post_message(LoadsPane.FileWanted(item.path, item.line))


class WindowsPane(Hosted, LineList):
    """Shows the window of each followed session as a curve over its turns."""

    def __init__(self) -> None:
        super().__init__(ident="windows", empty="reading…")
        self._windows: tuple[SessionWindow, ...] = ()
        self._at: tuple[int, ...] = ()  # the place of each row's session among the windows

    def read(self) -> None:
        self.deck.bridge.read(lambda engine: engine.windows.sessions(), self._took)

    def _took(self, windows: tuple[SessionWindow, ...]) -> None:
        self._windows = windows
        self.show_windows()

    def show_windows(self) -> None:
        width, now = self.content_size.width or 60, self.deck.now()
        rows = [(at, row) for at, window in enumerate(self._windows) for row in session_rows(window, width, now)]
        self._at = tuple(at for at, _ in rows)
        self.show_empty("", view.NO_WINDOWS)
        self.show(ListRows([row for _, row in rows]))
        self.name_it(self.title(), self.foot_words)

    foot_words: Line = ()  # the words of the lower border

    def title(self) -> Line:
        return (Span("Windows", "title"), Span(f" ⟨{len(self._windows)}⟩", "muted"))

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        """Opens the timeline of a session, which shows the curve at once."""
        from engine.services.flushes import SessionTimeline
        from tui.screens.context.session_timeline import TimelineScreen

        window = self._windows[self._at[event.index]]
        self.app.push_screen(TimelineScreen(SessionTimeline(window=window, touched={}, saved={}, cuts=())))


def _loads(engine: Engine) -> tuple[view.Loads, view.Seen]:
    loads = {kind: engine.context.loads(kind, flags=True) for kind in SessionKind}
    return loads, engine.context.observed(loads[SessionKind.MAIN])
