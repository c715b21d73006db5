"""Context: what will the agent really see? The prompt for a message, slot by slot, and what platforms load."""

from typing import TYPE_CHECKING

from textual import events, on
from textual.widgets import Input

from engine.context.compile.prompt import CompiledPrompt
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.sessions.window.session_window import SessionWindow
from tui.bridge.facts import StatusRead
from tui.dialogs.line_input import AskLine
from tui.dialogs.text_reader import TextReader
from tui.keys.naming import bindings
from tui.present.context import rows as view
from tui.present.spans import Line, Span
from tui.present.window import timeline_lines
from tui.present.words import safe
from tui.screens.context.live_prompt import LivePrompt, PromptQuestion
from tui.screens.context.panes import ContextPanes
from tui.screens.page import Place, TypedWords
from tui.widgets.line_list import LineList
from tui.widgets.source_text import SourceText

if TYPE_CHECKING:
    from engine.context.compile.comparison import PromptComparison
    from engine.services.engine import Engine
    from engine.services.origins import AnswerOrigin

BUDGETS = (256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 200_000)
"""Tokens that the budget goes through."""


class ContextPage(ContextPanes):
    """Compiles what is typed, anew at each change of the budget, the session or the workspace."""

    BINDINGS = bindings("ContextPage")

    def __init__(self) -> None:
        super().__init__()
        self.asking = LivePrompt(lambda: self.deck.bridge, self._took, self._could_not)
        self.message = ""
        self.history = True

    @property
    def waits(self) -> bool:
        return self.asking.busy

    # Compiling

    def enter(self) -> None:
        self.turn_to("message" if self.prompt is None else self.current)
        self.read_again()

    def on_mount(self) -> None:
        self.deck.facts.follow(StatusRead, self._read_if_here)

    def _read_if_here(self, _: StatusRead) -> None:
        """The workspace was read anew, so the prompt may be another."""
        if self.has_class("here"):
            self.read_again()

    def read_again(self) -> None:
        """Compiles anew, and simulates what platforms load."""
        self._compile()
        self.deck.bridge.read(_loads, self._took_loads, self.deck.fail, group="loads")
        self.deck.bridge.read(_windows, self._took_windows, self.deck.fail, group="windows")

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

    def _took_loads(self, found: tuple[view.Loads, view.Seen]) -> None:
        self.loads, self.seen = found
        self.show_loads()

    def _took_windows(self, windows: tuple[SessionWindow, ...]) -> None:
        self.windows = windows
        self.show_windows()

    @on(Input.Submitted, "#message")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.message = event.value
        self._compile()
        self.turn_to("items")

    def on_key(self, event: events.Key) -> None:
        if self.field.has_focus and event.key in ("down", "pagedown"):
            event.stop()
            self.turn_to("items")
        elif self.items.has_focus and event.key == "up" and self.items.cursor == 0:
            event.stop()
            event.prevent_default()
            self.action_ask()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the field itself there is no way to the field."""
        return False if action == "ask" and self.field.has_focus else super().check_action(action, parameters)

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

    def action_ask(self) -> None:
        """To the field, at the end of what stands there."""
        self.turn_to("message")
        self.field.action_end()

    def action_budget(self, by: int) -> None:
        """The next larger or smaller budget, and the prompt for it."""
        now = self.budget or BUDGETS[0]
        steps = sorted({*BUDGETS, now})
        at = steps.index(now) + by
        if 0 <= at < len(steps):
            self.budget = steps[at]
            self._compile()

    def action_session(self) -> None:
        """The next kind of session."""
        kinds = list(SessionKind)
        self.session = kinds[(kinds.index(self.session) + 1) % len(kinds)]
        self._compile()
        self.show_loads()

    def action_history(self) -> None:
        """Takes the turns of the newest session in, or leaves them out."""
        self.history = not self.history
        self._compile()

    def action_prompt(self) -> None:
        """To the prompt, where the item under the cursor begins."""
        self._show_in_prompt()
        self.turn_to("prompt")

    def action_loads(self) -> None:
        self.turn_to("loads")

    def action_windows(self) -> None:
        """To the followed sessions, in the place of what platforms load."""
        self.turn_to("windows")

    def action_why(self) -> None:
        """Asks why the agent said something: the lines of the prompt behind an answer."""
        from tui.screens.context.why import WhyScreen

        self.app.push_screen(WhyScreen(self.session), self._opened_origin)

    def action_flushes(self) -> None:
        """Shows the compactions that were seen, what saved each, and the backups."""
        self.deck.bridge.read(_flushes, self._show_flushes, self.deck.fail, group="flushes")

    def _show_flushes(self, lines: tuple[Line, ...]) -> None:
        self.app.push_screen(TextReader("Flushes", lines, hang=6))

    def action_compare(self) -> None:
        """Asks what the prompt is to be compared with: a plan, a date, a budget, or two of a kind."""
        body = ((Span("a plan (p-20260315-0001), a date (2026-03-01), a budget (4096), or A..B", "muted"),),)
        title = (Span("Compare the prompt with which other?", "title"),)
        ask = AskLine(title, "p-20260315-0001", "compare", body=body, empty="name a plan, a date or a budget")
        self.app.push_screen(ask, self._compare)

    def _compare(self, other: str | None) -> None:
        if other:
            message, session, budget = self.message, self.session, self.budget or None
            self.deck.say("compiling both prompts…", about="comparison")
            self.deck.bridge.read(
                lambda engine: engine.comparisons.compare(message, session, other, budget=budget),
                self._show_comparison,
                self.deck.fail,
                group="compare",
            )

    def _show_comparison(self, found: "PromptComparison") -> None:
        from tui.present.context.comparison import comparison_lines

        self.deck.over("comparison")
        self.app.push_screen(TextReader("Two prompts", comparison_lines(found), hang=5))

    def action_probes(self) -> None:
        """Asks the probes, and shows what waiting plans make of them."""
        self.deck.say("asking the probes…", about="probes")
        self.deck.bridge.read(_probes, self._show_probes, self.deck.fail, group="probes")

    def _show_probes(self, lines: tuple[Line, ...]) -> None:
        self.deck.over("probes")
        self.app.push_screen(TextReader("Probes", lines, hang=6))

    def _opened_origin(self, origin: "AnswerOrigin | None") -> None:
        if origin is not None:
            self._open(origin.path, origin.line)

    def action_open_in_tree(self) -> None:
        """Shows the item's file on the Tree screen, where that knows it."""
        item = self.item
        self._open(item.path if item is not None else "", item.line if item is not None else 0)

    def _open(self, path: str, line: int) -> None:
        if not path:
            self.deck.say("no file is selected", severity="warning")
            return
        self.deck.call_later(self.deck.open_file, path, max(1, line))

    def _show_in_prompt(self) -> None:
        line = self.lines.line_of.get(self.items.cursor) if self.lines is not None else None
        if line is not None and self.lines is not None:
            self.query_one("#prompt", SourceText).show(self.lines, line, above=False)

    @on(LineList.Moved, "#items")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self.show_item()
        self._show_in_prompt()
        self.refresh_bindings()

    @on(LineList.Chosen, "#items")
    async def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        await self.app.run_action("prompt", self)

    @on(SourceText.Chosen, "#prompt")
    def _open_source(self, event: SourceText.Chosen) -> None:
        """Opens the file that the line of the prompt is from."""
        event.stop()
        if self.prompt is not None and self.lines is not None:
            item = self.prompt.items[self.lines.item_at(event.index)]
            self._open(item.path, item.line)

    @on(SourceText.Moved, "#prompt")
    def _read_on(self, event: SourceText.Moved) -> None:
        event.stop()

    @on(LineList.Moved, "#loads")
    def _looked(self, event: LineList.Moved) -> None:
        event.stop()

    @on(LineList.Chosen, "#loads")
    def _open_loaded(self, event: LineList.Chosen) -> None:
        """Opens the file, or the line that falls off."""
        event.stop()
        chosen = self.load_rows[event.index]
        self._open(chosen.path, chosen.line)

    @on(LineList.Moved, "#windows")
    def _passed(self, event: LineList.Moved) -> None:
        event.stop()

    @on(LineList.Chosen, "#windows")
    def _open_timeline(self, event: LineList.Chosen) -> None:
        """Opens the timeline of a session: each turn with its tokens, and what left at each compaction."""
        event.stop()
        window = self.windows[self.window_at[event.index]]
        self.app.push_screen(TextReader(safe(window.session), timeline_lines(window)))

    # What the command line and the other keys ask of every screen

    def show(self, wanted: Place) -> bool:
        """`context WORDS` compiles the prompt for them."""
        if not isinstance(wanted, TypedWords):
            return False
        self.message = self.field.value = " ".join(wanted.words)
        self._compile()
        self.turn_to("items")
        return True

    def leave(self) -> bool:
        """`esc`: from any pane to the items."""
        if super().leave():
            return True
        if self.current == "items":
            return False
        self.turn_to("items")
        return True


def _windows(engine: "Engine") -> tuple[SessionWindow, ...]:
    return engine.windows.sessions()


def _flushes(engine: "Engine") -> tuple[Line, ...]:
    from tui.present.context.flushes import history_lines

    return history_lines(engine.flushes.compactions(), engine.flushes.backups())


def _probes(engine: "Engine") -> tuple[Line, ...]:
    from tui.present.context.probes import probe_lines

    return probe_lines(engine.probes.ask(), engine.probes.read().problems, engine.probes.noted())


def _loads(engine: "Engine") -> tuple[view.Loads, view.Seen]:
    loads = {kind: engine.context.loads(kind, flags=True) for kind in SessionKind}
    return loads, engine.context.observed(loads[SessionKind.MAIN])
