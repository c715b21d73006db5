"""Keeps the keys typed while a dialog opens, and puts them into its field."""

from textual import events
from textual.widget import Widget
from textual.widgets import Input

from tui.toolkit.painter import Answer, Dialog


class EarlyKeys(Dialog[Answer]):
    """A dialog with one field that decides nothing irreversible, so early keys may count; never about plans."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead: list[events.Key] = []

    def take(self, event: events.Key) -> bool:
        """Keeps a key that came before the field existed, and tells whether it belongs there."""
        # Arrows and `esc` belong to whoever has the focus when they come.
        if not event.is_printable and event.key != "enter":
            return False
        self._ahead.append(event)
        if isinstance(self.focused, Input):
            self._type(self.focused)
        return True

    def set_focus(self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False) -> None:
        super().set_focus(widget, scroll_visible, from_app_focus)
        if isinstance(widget, Input):
            self._type(widget)

    def takes_letter(self, key: str) -> bool:
        """Performs what a letter does here other than typing, and tells whether it did."""
        return False

    def _type(self, field: Input) -> None:
        ahead, self._ahead = self._ahead, []
        for event in ahead:
            if event.key == "enter":
                field.call_next(field.action_submit)
            elif event.character and not self.takes_letter(event.key):
                field.insert_text_at_cursor(event.character)
