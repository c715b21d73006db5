"""Defines the field for the approval word, which must be typed letter by letter."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip

from tui.present.spans import Line, Span
from tui.present.words import safe
from tui.widgets.key_guard import TypingPace
from tui.widgets.painted import Painted
from tui.widgets.segments import strip

_SIZE = 20  # characters of the field; the last ones stay


class WordField(Painted, can_focus=True):
    """Takes the characters that `admits` accepts and returns the typed word; has no clipboard and refuses pastes."""

    @dataclass
    class Typed(Message):
        """Says that `enter` was pressed after `text`."""

        text: str

    class Changed(Message):
        """Says that a letter was added or removed."""

    class Pasted(Message):
        """Says that a paste was refused; the field is empty, and ignores keys until `rebind`."""

    def __init__(self, *, label: str, ident: str) -> None:
        super().__init__(id=ident)
        self._label = label
        self._admits: Callable[[float], bool] = lambda at: False
        self._pace = TypingPace()
        self._ready = False
        self.text = ""

    def rebind(self, admits: Callable[[float], bool]) -> None:
        """Empties the field and sets `admits`, which decides whether a key counts."""
        self._admits, self._pace, self._ready, self.text = admits, TypingPace(), False, ""
        self.refresh()

    def wake(self) -> None:
        """Shows that keys count now."""
        self._ready = True
        self.refresh()

    def render_line(self, y: int) -> Strip:
        shown = safe(self.text)[-_SIZE:]
        typed: Line = (Span(shown, "accent"), Span("▁" if self._ready else "…", "accent"))
        rest: Line = (Span(" " * (_SIZE - len(shown)), "text"), Span("▏", "rule"))
        line = (Span(f"{self._label}  ", "strong"), Span("▕ ", "rule"), *typed, *rest)
        return strip(self, line, self.content_size.width)

    def on_key(self, event: events.Key) -> None:
        # Keys of the dialog: they cancel, or scroll the diff behind.
        if event.key in ("escape", "up", "down", "left", "right", "pageup", "pagedown"):
            return
        event.stop()
        event.prevent_default()
        # By the time of the key, not of its handling: keys may have waited.
        if not self._admits(event.time):
            return
        self._take(event)
        self.refresh()

    def _take(self, event: events.Key) -> None:
        if event.key == "enter":
            self.post_message(self.Typed(self.text))
        elif event.key in ("backspace", "ctrl+h"):
            self._become(self.text[:-1])
        elif event.key == "ctrl+u":
            self._become("")
        elif event.is_printable and event.character:
            self._add(event.character, event.time)

    def _add(self, character: str, at: float) -> None:
        if self._pace.too_fast(at):
            self._refuse()
        else:
            self._become((self.text + character)[-_SIZE:])

    def _become(self, text: str) -> None:
        self.text = text
        self.post_message(self.Changed())

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._refuse()

    def _refuse(self) -> None:
        self.text = ""
        # The rest of the paste must not be taken for typing.
        self._admits = lambda at: False
        self.refresh()
        self.post_message(self.Pasted())
