"""The panes of the Context screen: the message, the slots, the items, the prompt, and what platforms load."""

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from engine.context.compile.prompt import CompiledPrompt, PromptItem
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.sessions.window.session_window import SessionWindow
from tui.keys.naming import Keyed, bindings
from tui.present.context import rows as view
from tui.present.spans import ListRow, ListRows, Span
from tui.present.window import session_rows
from tui.present.words import count
from tui.screens.page import Page
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.source_text import SourceText
from tui.widgets.style import name_in_colour, style_sheet, titled
from tui.widgets.text_pane import TextPane


class MessageField(Keyed, Input):
    """The field of the message; its keys stand in the footer, where all others are letters meanwhile."""

    SCOPE = "message"
    BINDINGS = bindings("MessageField")


class ContextPanes(Page):
    """A field and the slots above; the items, the prompt and what platforms load below."""

    PANES: ClassVar[tuple[str, ...]] = ("message", "items", "prompt", "loads", "windows")
    NAMES: ClassVar[Mapping[str, str]] = {
        "message": "Message",
        "items": "Items",
        "prompt": "Prompt",
        "loads": "Load today",
        "windows": "Windows",
    }
    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("ContextPage")

    def __init__(self) -> None:
        super().__init__(id="context")
        self.prompt: CompiledPrompt | None = None
        self.problem: MemdeckError | None = None
        self.loads: view.Loads = {}
        self.seen: view.Seen = {}
        self.load_rows: tuple[view.LoadRow, ...] = ()
        self.windows: tuple[SessionWindow, ...] = ()
        self.window_at: tuple[int, ...] = ()
        """By the row of the windows' pane the place of its session among `windows`."""
        self.lines: view.PromptLines | None = None
        self.session = SessionKind.MAIN
        self.budget = 0
        """Tokens of the prompt; 0 until the first one, which takes the policy's, was compiled."""

    def compose(self) -> ComposeResult:
        yield MessageField(id="message", select_on_focus=False, placeholder=view.INVITATION)
        yield OneLine(ident="standing")
        yield OneLine(ident="slots")
        with Horizontal(id="below"):
            with Vertical(id="made"):
                yield LineList(ident="items", empty="compiling…")
                yield TextPane(ident="item")
            with Vertical(id="seen"):
                yield SourceText(ident="prompt")
                yield LineList(ident="loads", empty="reading…")
                yield LineList(ident="windows", empty="reading…")

    def on_mount(self) -> None:
        self.query_one("#item", TextPane).can_focus = False
        name_in_colour(self, self.name_panes)

    @property
    def field(self) -> Input:
        return self.query_one("#message", Input)

    @property
    def items(self) -> LineList:
        return self.query_one("#items", LineList)

    @property
    def item(self) -> PromptItem | None:
        """The item under the cursor."""
        found = self.prompt.items if self.prompt is not None else ()
        return found[self.items.cursor] if self.items.cursor < len(found) else None

    @property
    def waits(self) -> bool:
        """Tells whether a prompt is being compiled."""
        return False

    def turn_to(self, name: str) -> None:
        """Names the panes again: the lower border depends on which panes are shown."""
        if name in ("loads", "windows"):  # they share their place
            self.set_class(name == "windows", "with-windows")
        super().turn_to(name)
        self.name_panes()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_windows)
        self.call_after_refresh(self.show_standing)
        self.call_after_refresh(self.name_panes)

    # What was compiled

    def show_prompt(self) -> None:
        """Shows the items and the prompt, or why there is none; the cursor stays on its row."""
        text = self.query_one("#prompt", SourceText)
        if self.prompt is None or self.problem is not None:
            words = view.WAITING
            if self.problem is not None:
                words = view.refused_words(self.problem.title, self.problem.line())
            self.items.show_empty("", words)
            self.items.show(ListRows())
            self.lines = None
            text.say(*words)
        else:
            self.items.show(view.ItemRows(self.prompt))
            self.lines = view.PromptLines(self.prompt)
            text.show(self.lines, text.cursor)
        self.show_item()
        self.show_standing()
        self.name_panes()
        self.refresh_bindings()

    def show_item(self) -> None:
        """Shows what is known of the item under the cursor."""
        item = self.item if self.problem is None else None
        self.query_one("#item", TextPane).show(view.item_detail(item) if item is not None else ())

    def show_standing(self) -> None:
        """Session, budget and counts, and the slots as one bar."""
        row = view.standing_row(self.prompt, self.session, self.budget, busy=self.waits)
        self.query_one("#standing", OneLine).show(row)
        slots = self.query_one("#slots", OneLine)
        prompt = self.prompt if self.problem is None else None
        slots.show(view.slot_bar(prompt, slots.content_size.width) if prompt is not None else ListRow(()))

    def show_loads(self) -> None:
        self.load_rows = view.load_rows(self.loads, self.session, self.seen, self.deck.now())
        self.query_one("#loads", LineList).show(ListRows([one.row for one in self.load_rows]))
        self.name_panes()

    def show_windows(self) -> None:
        """Shows the window of each followed session as a curve over its turns."""
        pane = self.query_one("#windows", LineList)
        width, now = pane.content_size.width or 60, self.deck.now()
        rows = [(at, row) for at, one in enumerate(self.windows) for row in session_rows(one, width, now)]
        self.window_at = tuple(at for at, _ in rows)
        pane.show_empty("", view.NO_WINDOWS)
        pane.show(ListRows([row for _, row in rows]))
        self.name_panes()

    # Names

    def name_panes(self) -> None:
        self.field.border_title = titled(self.app.theme, (Span("Message", "title"),))
        number = count(len(self.prompt.items)) if self.prompt is not None else "0"
        self.items.name_it((Span("Items", "title"), Span(f" ⟨{number}⟩", "muted")), self.others("items"))
        prompt = self.query_one("#prompt", SourceText)
        tokens = f" {count(self.prompt.tokens)} tokens" if self.prompt is not None else ""
        prompt.name_it((Span("Prompt", "title"), Span(tokens, "muted")), self.others("prompt"))
        loads = self.query_one("#loads", LineList)
        loads.name_it(view.loads_title(self.loads, self.session), self.others("loads"))
        windows = self.query_one("#windows", LineList)
        windows.name_it((Span("Windows", "title"), Span(f" ⟨{len(self.windows)}⟩", "muted")), self.others("windows"))
