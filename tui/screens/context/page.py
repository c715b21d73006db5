"""Defines the Context page: what will the agent really see? The prompt for a message, and what platforms load."""

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from engine.context.compile.prompt import CompiledPrompt, PromptItem
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from tui.bridge.facts import StatusRead
from tui.present.context import prompt_rows as view
from tui.present.spans import ListRow, ListRows, Span, error_lines
from tui.present.words import count
from tui.screens.context import live_prompt
from tui.screens.context.live_prompt import LivePrompt, PromptQuestion
from tui.screens.context.loads_windows import LoadsPane, PromptText, WindowsPane
from tui.screens.page import FieldPage, Place, TypedWords
from tui.toolkit.declared import Declared
from tui.widgets.line_list import LineList
from tui.widgets.one_line import OneLine
from tui.widgets.painted import Titled
from tui.widgets.text_pane import TextPane

BUDGETS = (256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 200_000)
"""The budgets in tokens that a key steps through."""


class MessageField(Declared, Input, Titled, scope="message"):
    """The field for the message; the footer shows its keys, since all others are letters."""


class ContextPage(FieldPage, scope="context"):
    """Compiles the typed message, again after each change of budget, session or workspace."""

    PANES: ClassVar[tuple[str, ...]] = ("message", "items", "prompt", "loads", "windows")
    NAMES: ClassVar[Mapping[str, str]] = {
        "message": "Message", "items": "Items", "prompt": "Prompt", "loads": "Load today", "windows": "Windows",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__(id="context")
        self.asking = LivePrompt(lambda: self.deck.bridge, self._took, self._could_not)
        self.message = ""
        self.history = True
        self.prompt: CompiledPrompt | None = None
        self.problem: MemdeckError | None = None
        self.session = SessionKind.MAIN
        self.budget = 0  # tokens of the prompt; 0 until the first one, which takes the policy's, was compiled

    def compose(self) -> ComposeResult:
        yield MessageField(id="message", select_on_focus=False, placeholder=view.INVITATION)
        yield OneLine(ident="standing")
        yield OneLine(ident="slots")
        with Horizontal(id="below"):
            with Vertical(id="made"):
                yield LineList(ident="items", empty="compiling…")
                yield TextPane(ident="item")
            with Vertical(id="seen"):
                yield PromptText()
                yield LoadsPane()
                yield WindowsPane()

    def on_mount(self) -> None:
        self.query_one("#item", TextPane).can_focus = False
        self.query_one(MessageField).name_it((Span("Message", "title"),))
        self.follow_here(StatusRead, self.read_again)

    @property
    def items(self) -> LineList:
        return self.query_one("#items", LineList)

    @property
    def prompt_text(self) -> PromptText:
        return self.query_one(PromptText)

    @property
    def item(self) -> PromptItem | None:
        return self.items.under(self.prompt.items if self.prompt is not None else ())

    def turn_to(self, name: str) -> None:
        """Brings a pane to the front, and names the panes again, whose borders depend on what is shown."""
        if name in ("loads", "windows"):  # they share their place
            self.set_class(name == "windows", "with-windows")
        super().turn_to(name)
        self.name_panes()

    def on_resize(self) -> None:
        for show in (self.query_one(WindowsPane).show_windows, self.show_standing, self.name_panes):
            self.call_after_refresh(show)

    # What was compiled

    def show_prompt(self) -> None:
        """Shows the items and the prompt, or why there is none; the cursor stays on its row."""
        words = view.WAITING
        if self.problem is not None:
            words = error_lines(self.problem)
        prompt = self.prompt if self.problem is None else None
        self.items.show_empty("", words)
        self.items.show(view.ItemRows(prompt.items) if prompt is not None else ListRows())
        self.prompt_text.show_prompt(prompt, words)
        self.show_item()
        self.show_standing()
        self.name_panes()
        self.refresh_bindings()

    def show_item(self) -> None:
        item = self.item if self.problem is None else None
        self.query_one("#item", TextPane).show(view.item_detail(item) if item is not None else ())

    def show_standing(self) -> None:
        """Shows session, budget and counts, and the slots as a bar."""
        row = view.standing_row(self.prompt, self.session, self.budget, busy=self.asking.busy)
        self.query_one("#standing", OneLine).show(row)
        slots = self.query_one("#slots", OneLine)
        prompt = self.prompt if self.problem is None else None
        slots.show(view.slot_bar(prompt, slots.content_size.width) if prompt is not None else ListRow(()))

    # Names

    def name_panes(self) -> None:
        number = count(len(self.prompt.items)) if self.prompt is not None else "0"
        self.items.name_it((Span("Items", "title"), Span(f" ⟨{number}⟩", "muted")), self.others("items"))
        prompt = self.prompt_text
        tokens = f" {count(self.prompt.tokens)} tokens" if self.prompt is not None else ""
        prompt.name_it((Span("Prompt", "title"), Span(tokens, "muted")), self.others("prompt"))
        for pane in (self.query_one(LoadsPane), self.query_one(WindowsPane)):
            pane.foot_words = self.others(str(pane.id))
            pane.name_it(pane.title(), pane.foot_words)

    # Compiling

    def enter(self) -> None:
        self.turn_to("message" if self.prompt is None else self.current)
        self.read_again()

    def read_again(self) -> None:
        self._compile()
        self.query_one(LoadsPane).read()
        self.query_one(WindowsPane).read()

    def _compile(self) -> None:
        self.asking.ask(PromptQuestion(self.message, self.session, self.budget, self.history))
        self.show_standing()

    def _took(self, asked: PromptQuestion, prompt: CompiledPrompt) -> None:
        self.prompt, self.problem = prompt, None
        self.budget = prompt.budget
        self.show_prompt()
        self.deck.over("prompt")
        for warning in prompt.warnings:
            self.deck.say(warning, severity="warning", about="prompt")

    def _could_not(self, asked: PromptQuestion, error: MemdeckError) -> None:
        self.problem = error
        self.show_prompt()

    @on(Input.Submitted, "#message")
    def _submitted(self, event: Input.Submitted) -> None:
        self.message = event.value
        self._compile()
        self.turn_to("items")

    # Keys

    def lacks_prompt(self) -> str:
        return "no prompt is compiled" if self.prompt is None or self.problem is not None else ""

    def lacks_file(self) -> str:
        return "no file is selected" if self.item is None or not self.item.path else ""

    @property
    def session_words(self) -> str:
        return f"Session: {self.session.value}"

    @property
    def history_words(self) -> str:
        return "No history" if self.history else "History"

    def action_budget(self, by: int) -> None:
        now = self.budget or BUDGETS[0]
        steps = sorted({*BUDGETS, now})
        at = steps.index(now) + by
        if 0 <= at < len(steps):
            self.budget = steps[at]
            self._compile()

    def action_session(self) -> None:
        kinds = list(SessionKind)
        self.session = kinds[(kinds.index(self.session) + 1) % len(kinds)]
        self._compile()
        self.query_one(LoadsPane).show_loads(self.session)

    def action_history(self) -> None:
        self.history = not self.history
        self._compile()

    def action_prompt(self) -> None:
        self.prompt_text.show_item(self.items.cursor)
        self.turn_to("prompt")

    def action_turn_to(self, name: str) -> None:
        self.turn_to(name)

    def action_why(self) -> None:
        from tui.screens.context.why import WhyScreen

        self.deck.ask(WhyScreen(self.session), lambda origin: self._open(origin.path, origin.line))

    def action_verify(self) -> None:
        from tui.screens.context.wrong_claims import RealityScreen

        self.deck.ask(RealityScreen(), lambda judged: self._open(judged.claim.path, judged.claim.line))

    def action_flushes(self) -> None:
        live_prompt.show_flushes(self.deck)

    def action_compare(self) -> None:
        live_prompt.compare(self.deck, PromptQuestion(self.message, self.session, self.budget))

    def action_probes(self) -> None:
        live_prompt.show_probes(self.deck)

    def action_open_in_tree(self) -> None:
        item = self.item
        self._open(item.path if item is not None else "", item.line if item is not None else 0)

    def _open(self, path: str, line: int) -> None:
        if not path:
            self.deck.say("no file is selected", severity="warning")
            return
        self.deck.call_later(self.deck.open_file, path, max(1, line))

    @on(LineList.Moved, "#items")
    def _moved(self, event: LineList.Moved) -> None:
        self.show_item()
        self.prompt_text.show_item(self.items.cursor)
        self.refresh_bindings()

    @on(LineList.Chosen, "#items")
    async def _chosen(self) -> None:
        await self.app.run_action("prompt", self)

    @on(LoadsPane.FileWanted)
    def _open_loaded(self, event: LoadsPane.FileWanted) -> None:
        self._open(event.path, event.line)

    # What the command line and the other keys ask of every screen

    def show(self, wanted: Place) -> bool:
        """Compiles the words of `context WORDS`."""
        if not isinstance(wanted, TypedWords):
            return False
        self.message = self.field.value = " ".join(wanted.words)
        self._compile()
        self.turn_to("items")
        return True

    def leave(self) -> bool:
        """Goes from any pane to the items; False if already there."""
        if super().leave():
            return True
        if self.current == "items":
            return False
        self.turn_to("items")
        return True
