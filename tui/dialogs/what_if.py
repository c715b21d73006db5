"""Asks for the date of the what-if clock, and shows the instant while it is typed."""

from datetime import datetime

from textual.app import ComposeResult
from textual.widgets import Input

from tui.dialogs.early_keys import EarlyKeys
from tui.present.overview import what_if
from tui.present.spans import Line, Span, hint
from tui.present.words import ahead
from tui.widgets.line_block import LineBlock
from tui.widgets.painted import Frame


class AskInstant(EarlyKeys[datetime | None], scope="what-if"):
    """Returns the instant in UTC, or None on `esc`."""

    AUTO_FOCUS = "Input"

    def __init__(self, now: datetime, zone: str) -> None:
        super().__init__()
        self._now, self._zone = now, zone

    def compose(self) -> ComposeResult:
        with Frame(id="box") as box:
            keys = (*hint("`enter` shows that day   `esc`"), Span(" cancel", "strong"))
            box.name_it((Span("What if it were …", "title"),), keys)
            yield Input(compact=True, placeholder="a weekday, a distance or a date", max_length=40)
            yield LineBlock(self._said(""), ident="said", hang=2)

    def _said(self, text: str) -> Line:
        if not text.strip():
            return (Span(what_if.HELP, "muted"),)
        instant = what_if.instant(text, self._now, self._zone)
        if isinstance(instant, str):
            return (Span("! ", "warn"), Span(instant, "warn"))
        apart = ahead(instant, self._now) if instant >= self._now else "in the past"
        day = f"{instant:%a} {instant.day} {instant:%b %Y %H:%M} UTC"
        return (Span("→ ", "accent"), Span(day, "strong"), Span(f"  {apart}", "muted"))

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one("#said", LineBlock).show(self._said(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        instant = what_if.instant(event.value, self._now, self._zone)
        if isinstance(instant, datetime):
            self.dismiss(instant)
