"""Finds a text in the focused pane: `/` asks and marks while typing, `n` and `N` step, `esc` ends."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from tui.dialogs.early_keys import EarlyKeys
from tui.present.sought_text import SoughtText
from tui.present.spans import Span, hint
from tui.widgets.line_block import LineBlock
from tui.widgets.searchable_pane import SearchablePane


def findable(pane: object) -> SearchablePane | None:
    """Returns the pane if it can be searched, else None."""
    return pane if isinstance(pane, SearchablePane) else None


class TextFinder:
    """Remembers the last searched text and its pane; only one pane has marks."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._pane: SearchablePane | None = None
        self.text = ""

    def look(self, pane: SearchablePane, text: str) -> None:
        """Marks a text in a pane and nowhere else; an empty text removes the marks."""
        if self._pane is not pane:
            self.end()
        self._pane = pane
        pane.look_for(SoughtText(text))
        self.text = text or self.text

    def again(self, pane: SearchablePane, by: int) -> None:
        """Goes to the next or previous line with the last searched text, in this pane or another."""
        if not self.text:
            self._say("nothing to find yet: / asks what")
            return
        self.look(pane, self.text)
        if pane.hits:
            pane.action_find_next(by)
        else:
            pane.look_for(None)
            self.missed(self.text)

    def missed(self, text: str) -> None:
        self._say(f"{text!r} is not in this pane")

    def end(self) -> bool:
        """Removes the marks, and tells whether any were visible."""
        pane, self._pane = self._pane, None
        if pane is None or pane.wanted is None or not pane.is_attached:
            return False
        pane.look_for(None)
        return pane.is_on_screen


class FindBar(EarlyKeys[None], scope="find"):
    """Asks what to find; the pane behind follows each letter. `enter` stays there, `esc` goes back."""

    AUTO_FOCUS = "Input"
    DEFAULT_CLASSES = "clear"

    def __init__(self, finder: TextFinder, pane: SearchablePane) -> None:
        super().__init__()
        self._finder, self._pane, self._start = finder, pane, pane.at
        self._top = pane.scroll_offset.y

    def compose(self) -> ComposeResult:
        yield LineBlock(_FOOT, ident="foot")
        with Horizontal(id="line"):
            yield LineBlock((Span("/", "key"),), ident="sign")
            yield Input(compact=True, placeholder="find in this pane", select_on_focus=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._finder.look(self._pane, event.value)
        if not self._pane.visit(self._start):
            self._go_back()
        self._show_tally()

    def _go_back(self) -> None:
        self._pane.go(self._start)
        self._pane.scroll_to(y=self._top, animate=False)

    def _show_tally(self) -> None:
        said = self._pane.tally()[1:]
        self.query_one("#foot", LineBlock).show((*_FOOT, *said) if said else _FOOT)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if not self._pane.hits:
            self._finder.end()
            if event.value:
                self._finder.missed(event.value)
        self.dismiss(None)

    def action_step(self, by: int) -> None:
        self._pane.action_find_next(by)
        self._start, self._top = self._pane.at, self._pane.scroll_offset.y
        self._show_tally()

    def action_give_up(self) -> None:
        self._go_back()
        self._finder.end()
        self.dismiss(None)


_FOOT = hint("`enter` stays   `↓ ↑` next, previous   `esc` back   ")
