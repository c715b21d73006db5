"""Defines the field below a list that filters it while typing."""

from typing import Self

from textual import events
from textual.widgets import Input

from tui.keys.caps import key_name
from tui.toolkit.declared import Declared
from tui.widgets.line_list import LineList


class FilterField(Declared, Input, scope="filter"):
    """A line of text; the footer shows its keys, since no others work."""

    def __init__(self, placeholder: str, *, ident: str, of: str) -> None:
        """Takes `of`, the id of the filtered list, which `up` and `down` move through."""
        super().__init__(compact=True, id=ident, placeholder=placeholder, select_on_focus=False)
        self._of = of

    def open(self, text: str) -> None:
        """Shows and focuses the field with the present filter."""
        self.value = text
        self.set_class(True, "shown")
        self.focus()

    def close(self) -> bool:
        """Hides the field, and tells whether it was shown."""
        was = self.has_class("shown")
        self.set_class(False, "shown")
        return was

    def on_key(self, event: events.Key) -> None:
        if event.key in ("down", "up"):
            event.stop()
            self.screen.query_one(f"#{self._of}", LineList).action_move(1 if event.key == "down" else -1)

    def focus(self, scroll_visible: bool = True) -> Self:
        """Focuses the field at once if possible, so that its first letters are not keys of the list."""
        self.screen.set_focus(self, scroll_visible)
        return self if self.screen.focused is self else super().focus(scroll_visible)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Takes every sign as a letter, also those to which the toolkit gives no character, such as `slash`."""
        return super().check_consume_key(key, character or (key if len(key_name(key)) == 1 else None))

    def take(self, event: events.Key) -> bool:
        """Takes a key sent before the field was focused, and tells whether it is a letter."""
        if event.is_printable and event.character:
            self.insert_text_at_cursor(event.character)
        return event.is_printable
