"""One line asked of the operator, such as the reason for a refusal."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.viewmodels.spans import Line, Span
from tui.widgets.lines import Lines
from tui.widgets.style import titled


class AskLine(ModalScreen[str | None]):
    """Ends with the text, never an empty one, or with None on `esc`."""

    DEFAULT_CSS = """
    AskLine { align: center bottom; background: transparent; }
    AskLine #box {
        width: 84; max-width: 100%; height: auto; margin: 0 0 1 0; padding: 0 1;
        border: round $border; background: $panel;
    }
    AskLine Input { border: none; height: 1; padding: 0; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "not_now", "Not now", show=False)]

    def __init__(self, title: Line, placeholder: str, does: str) -> None:
        super().__init__()
        self._title, self._placeholder, self._does = title, placeholder, does

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Input(compact=True, placeholder=self._placeholder, max_length=400, select_on_focus=False)
            yield Lines(self._foot(), ident="foot")

    def _foot(self, note: str = "") -> Line:
        keys = (
            Span("enter", "key"),
            Span(f" {self._does}    ", "muted"),
            Span("esc", "key"),
            Span(" not now", "strong"),
        )
        return (*keys, Span(f"    ! {note}", "warn")) if note else keys

    def on_mount(self) -> None:
        self.query_one("#box").border_title = titled(self.app.theme, self._title)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.dismiss(event.value.strip())
        else:
            self.query_one("#foot", Lines).show(self._foot("it is recorded: write a few words"))

    def action_not_now(self) -> None:
        self.dismiss(None)
