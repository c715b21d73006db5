"""Finding a text in the focused pane: `/` asks for it, `n` and `N` go on."""

from collections.abc import Callable
from typing import ClassVar, Protocol, runtime_checkable

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.keys.naming import Keyed
from tui.viewmodels.spans import Line, Span
from tui.widgets.lines import Lines

_MOST_LOOKED_AT = 200_000


@runtime_checkable
class Findable(Protocol):
    """A pane of lines, in which one can be found and shown."""

    @property
    def count(self) -> int: ...
    @property
    def cursor(self) -> int: ...
    def text_at(self, index: int) -> str: ...
    def go(self, index: int) -> None: ...


def findable(pane: object) -> Findable | None:
    """The pane, where something can be found in it."""
    return pane if isinstance(pane, Findable) else None


def find(pane: Findable, text: str, start: int, by: int) -> int | None:
    """The index of the next line that holds the text, from `start` on and round the end; None where none does."""
    wanted, count = text.casefold(), pane.count
    if not wanted:
        return None
    for step in range(min(count, _MOST_LOOKED_AT)):
        index = (start + by * step) % count
        if wanted in pane.text_at(index).casefold():
            return index
    return None


class Finder:
    """Remembers what was looked for last."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.text = ""

    def type(self, pane: Findable, text: str, start: int) -> bool:
        """Goes to the first line that holds what was typed so far; whether there is one."""
        self.text = text
        index = find(pane, text, start, 1)
        if index is not None:
            pane.go(index)
        return index is not None or not text

    def again(self, pane: Findable, by: int) -> None:
        """To the next or previous line that holds the text."""
        if not self.text:
            self._say("nothing to find yet: / asks what")
            return
        index = find(pane, self.text, pane.cursor + by, by)
        if index is None:
            self._say(f"{self.text!r} is not in this pane")
        else:
            pane.go(index)


class FindBar(Keyed, ModalScreen[None]):
    """Asks what to find; the pane behind follows every letter. `enter` keeps the place, `esc` goes back."""

    SCOPE = "find"
    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    FindBar { align: left bottom; background: transparent; layout: vertical; }
    FindBar Input { border: none; height: 1; padding: 0 1; background: $panel; width: 100%; dock: bottom; }
    FindBar Lines { dock: bottom; background: $panel; padding: 0 1; width: 100%; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Back to where one was", show=False)]

    def __init__(self, finder: Finder, pane: Findable) -> None:
        super().__init__()
        self._finder, self._pane, self._start = finder, pane, pane.cursor

    def compose(self) -> ComposeResult:
        yield Lines(_FOOT, ident="foot")
        yield Input(compact=True, placeholder="find in this pane", select_on_focus=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        found = self._finder.type(self._pane, event.value, self._start)
        self.query_one(Lines).show(_FOOT if found else (*_FOOT, Span("   nothing found", "warn")))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(None)

    def action_give_up(self) -> None:
        self._pane.go(self._start)
        self.dismiss(None)


_FOOT: Line = (
    Span("enter", "key"),
    Span(" stays   ", "muted"),
    Span("n N", "key"),
    Span(" next, previous   ", "muted"),
    Span("esc", "key"),
    Span(" back", "muted"),
)
