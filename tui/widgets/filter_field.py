"""The field below a list that filters it as one types."""

from typing import Self

from textual import events
from textual.widgets import Input

from tui.keys.caps import key_name
from tui.toolkit.declared import Declared
from tui.widgets.line_list import LineList


class FilterField(Declared, Input, scope="filter"):
    """A line of text; its keys stand in the footer, where all others have nothing to do meanwhile."""

    def __init__(self, placeholder: str, *, ident: str, of: str) -> None:
        """`of`: the id of the list that it filters, through which `up` and `down` lead."""
        super().__init__(compact=True, id=ident, placeholder=placeholder, select_on_focus=False)
        self._of = of

    def open(self, text: str) -> None:
        """Shows the field with the filter as it is, and gives it the focus."""
        self.value = text
        self.set_class(True, "shown")
        self.focus()

    def close(self) -> bool:
        """Hides the field; whether it was there."""
        was = self.has_class("shown")
        self.set_class(False, "shown")
        return was

    def on_key(self, event: events.Key) -> None:
        if event.key in ("down", "up"):
            event.stop()
            self.screen.query_one(f"#{self._of}", LineList).action_move(1 if event.key == "down" else -1)

    def focus(self, scroll_visible: bool = True) -> Self:
        """At once where it can be, so that no letter of a filter is taken for a key of the list."""
        self.screen.set_focus(self, scroll_visible)
        return self if self.screen.focused is self else super().focus(scroll_visible)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Every sign is a letter of the filter; the toolkit knows no letter for `slash` and some others."""
        return super().check_consume_key(key, character or (key if len(key_name(key)) == 1 else None))

    def take(self, event: events.Key) -> bool:
        """A key that was sent before the field had the focus; whether it is a letter of the filter."""
        if event.is_printable and event.character:
            self.insert_text_at_cursor(event.character)
        return event.is_printable
