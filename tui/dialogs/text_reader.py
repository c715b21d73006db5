"""Shows a text over the screen: a report, a source, or a shortened text in full."""

from textual import events
from textual.app import ComposeResult

from tui.present.spans import Line, Span, plain
from tui.registry.screens import PLACES
from tui.toolkit.painter import Once
from tui.widgets.text_pane import TextPane

_LEAST, _MOST = 72, 132  # cells of the box: as many as its longest line takes, within these


class TextReader(Once[bool | None], scope="reading"):
    """Shows lines under a title until `esc`; returns whether `enter` was pressed to follow `leads`."""

    def __init__(
        self, title: str, lines: tuple[Line, ...], *, ends: str = "close", hang: int = 0, leads: str = "", at: int = -1
    ) -> None:
        """Takes `ends`, a word for what `esc` does; `leads`, words for where `enter` leads (empty: it closes); `hang`,
        the indent of wrapped lines; and `at`, the line to show first."""
        super().__init__()
        self._at = at
        self._title, self._lines, self._ends, self._hang, self._leads = title, lines, ends, hang, leads

    def compose(self) -> ComposeResult:
        yield TextPane(ident="text", hang=self._hang, as_begun=True)

    def on_mount(self) -> None:
        pane = self.query_one(TextPane)
        widest = max((len(plain(line)) for line in self._lines), default=0)
        pane.styles.width = max(_LEAST, min(_MOST, widest + 5))
        pane.styles.height = max(3, min(len(self._lines) + 2, self.app.size.height * 9 // 10))
        leads: Line = (Span("enter", "key"), Span(f" {self._leads}  ", "muted")) if self._leads else ()
        pane.name_it((Span(self._title, "title"),), (*leads, Span("esc", "key"), Span(f" {self._ends}", "muted")))
        pane.show(self._lines)
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        pane = self.query_one(TextPane)
        pane.styles.height = max(3, min(pane.lines_laid_out + 2, self.app.size.height * 9 // 10))
        if self._at >= 0:
            self.call_after_refresh(pane.go, self._at)

    def on_key(self, event: events.Key) -> None:
        """Opens the screen of a number key, since the toolkit gives a dialog none of the console's keys."""
        place = next((place for place in PLACES if place.key == event.key), None)
        if place is not None:
            event.stop()
            self.app.call_later(self.app.run_action, f"app.go('{place.id}')")

    def action_go(self) -> None:
        """Follows the text's lead, or closes the reader without one."""
        self.dismiss(bool(self._leads))
