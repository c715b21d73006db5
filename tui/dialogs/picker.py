"""A list to choose from by typing a part of it: commands, keys, themes, dry runs."""

from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from tui.dialogs.eager import Eager
from tui.keys.naming import Keyed
from tui.viewmodels.spans import Line, ListRows, Row, Span
from tui.widgets.line_list import LineList
from tui.widgets.style import titled


class Choice(NamedTuple):
    """One thing to choose: what it is called, what it does, the key that does it too, and what is handed back."""

    name: str
    about: str = ""
    key: str = ""
    value: str = ""
    section: str = ""


def found(choices: tuple[Choice, ...], text: str) -> tuple[Choice, ...]:
    """The choices in which every word of `text` occurs; those whose name begins with it come first."""
    words = text.casefold().split()
    hits = [
        choice
        for choice in choices
        if all(word in f"{choice.key} {choice.name} {choice.about}".casefold() for word in words)
    ]
    return (
        tuple(sorted(hits, key=lambda choice: not choice.name.casefold().startswith(text.casefold())))
        if words
        else choices
    )


class Picker(Keyed, Eager[str | None]):
    """Ends with the chosen value, or with None on `esc`."""

    SCOPE = "choice"
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    Picker { align: center top; background: $background 60%; }
    Picker #box {
        width: 76; max-width: 96%; height: auto; max-height: 80%; margin: 2 0 0 0;
        border: round $border; background: $panel; padding: 0 1;
    }
    Picker Input { border: none; height: 1; padding: 0; background: $surface; margin: 0 0 1 0; }
    Picker LineList { height: auto; max-height: 20; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "not_now", "Close", show=False)]

    def __init__(
        self,
        title: str,
        choices: tuple[Choice, ...],
        further: tuple[Choice, ...] = (),
        *,
        placeholder: str = "type to find",
        foot: str = "choose",
    ) -> None:
        """`further` choices are found by typing, after the others, and not listed before."""
        super().__init__()
        self._further = further
        self._title, self._choices, self._placeholder, self._foot = title, choices, placeholder, foot
        self._found = choices

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Input(compact=True, placeholder=self._placeholder, select_on_focus=False)
            yield LineList(ident="choices", empty="nothing by that name")

    def on_mount(self) -> None:
        box = self.query_one("#box")
        box.border_title = titled(self.app.theme, (Span(self._title, "title"),))
        keys: Line = (
            Span("enter", "key"),
            Span(f" {self._foot}   ", "muted"),
            Span("esc", "key"),
            Span(" close", "muted"),
        )
        box.border_subtitle = titled(self.app.theme, keys)
        lines = self.query_one(LineList)
        lines.can_focus, lines.lit = False, True
        lines.styles.height = max(1, min(20, len(self._choices), self.app.size.height * 8 // 10 - 5))
        self._show()

    def _show(self) -> None:
        width = max((len(choice.key) for choice in self._choices), default=0)
        rows = [
            Row(
                (
                    Span(f"{choice.key:>{width}}  ", "key"),
                    Span(choice.name, "text"),
                    Span(f"  {choice.about}", "muted"),
                ),
                (Span(choice.section, "muted"),),
            )
            for choice in self._found
        ]
        self.query_one(LineList).show(ListRows(rows), 0)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        further = found(self._further, event.value) if event.value.strip() else ()
        self._found = (*found(self._choices, event.value), *further)
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose(self.query_one(LineList).cursor)

    def on_line_list_chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        self._choose(event.index)

    def _choose(self, index: int) -> None:
        self.dismiss(self._found[index].value if index < len(self._found) else None)

    def on_key(self, event: events.Key) -> None:
        lines = self.query_one_optional(LineList)
        if lines is None:
            return
        moves = {"up": -1, "down": 1, "ctrl+n": 1, "ctrl+p": -1}
        if event.key in moves:
            lines.action_move(moves[event.key])
        elif event.key in ("pageup", "pagedown"):
            lines.action_page(1 if event.key == "pagedown" else -1)
        else:
            return
        event.stop()

    def action_not_now(self) -> None:
        self.dismiss(None)
