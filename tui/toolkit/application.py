"""Reaches the parts of Textual's application that the console needs: toasts, terminal, end."""

from collections.abc import Iterator
from typing import Any, TypeVar

from textual.app import App

from tui.toolkit.declared import Declared

Answer = TypeVar("Answer")


class QuietApp(Declared, App[Answer]):
    """An application without the toolkit's own traceback, which shows raw values; the caller reports errors."""

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def _refresh_notifications(self) -> None:
        """Shows the toasts without the blank lines that the toolkit leaves for removed ones."""
        super()._refresh_notifications()
        kept = tuple(note.identity for note in _notifications(self))
        for holder in self.screen.query("ToastHolder") if self.screen_stack else ():
            if not (holder.id or "").endswith(kept):
                holder.remove()


def take_back(app: App[Answer], text: str, title: str, severity: str) -> None:
    """Removes the toasts with this text; with an unknown Textual they stay until their time is over."""
    for note in list(_notifications(app)):
        if (note.message, note.title, note.severity) == (text, title, severity):
            app._unnotify(note)


def _notifications(app: App[Answer]) -> Iterator[Any]:
    yield from getattr(app, "_notifications", ()) if hasattr(app, "_unnotify") else ()


def write(app: App[Answer], sequence: str) -> None:
    """Writes to the terminal outside the screen, such as a notification."""
    if (driver := getattr(app, "_driver", None)) is not None:
        driver.write(sequence)


def raised(app: App[Answer]) -> Exception | None:
    """Returns the error that ended the application; None without one."""
    return getattr(app, "_exception", None)
