"""Asks the operator for one line, such as the reason for a refusal."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.widgets import Input

from tui.present.spans import Line, Span, hint
from tui.present.words import safe
from tui.toolkit.painter import Over
from tui.widgets.line_block import LineBlock
from tui.widgets.painted import Frame

Check = Callable[[str], str]  # says what keeps a text from being an answer, in words; empty where nothing does


_LONGEST = 400  # characters of an answer


class AskLine(Over[str | None], scope="question"):
    """Returns a text that `check` accepts, at first `value`, `instead` for an empty one, or None on `esc`."""

    def __init__(
        self,
        title: str | Line,
        placeholder: str,
        does: str,
        *,
        body: tuple[Line, ...] = (),
        empty: str = "it is recorded: write a few words",
        check: Check = lambda _: "",
        instead: str = "",
        value: str = "",
    ) -> None:
        super().__init__()
        self._title, self._placeholder, self._does, self._body = title, placeholder, does, body
        self._empty, self._check, self._instead, self._value = empty, check, instead, value

    def compose(self) -> ComposeResult:
        with Frame(id="box") as box:
            box.name_it(self._title if isinstance(self._title, tuple) else (Span(self._title, "title"),))
            yield LineBlock(*self._body, ident="body")
            yield Input(
                self._value[:_LONGEST], self._placeholder, compact=True, max_length=_LONGEST, select_on_focus=False
            )
            yield LineBlock(*self._foot(), ident="foot", hang=2)

    def _foot(self, note: str = "") -> tuple[Line, ...]:
        keys: Line = (*hint(f"`enter` {self._does}    `esc`"), Span(" cancel", "strong"))
        return ((Span("! ", "warn"), Span(note, "warn")), keys) if note else (keys,)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one("#foot", LineBlock).show(*self._foot())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip() or self._instead
        problem = self._check(text) if text else self._empty
        if problem:
            self.query_one("#foot", LineBlock).show(*self._foot(safe(problem)))
        else:
            self.dismiss(text)
