"""Shows toasts, errors with hints, and copies, and announces news outside the terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App

from engine.errors import Cancelled, MemdeckError
from engine.state.folder import state_home
from tui.present.words import safe
from tui.screen_host import Severity
from tui.shell.configuration import Configuration
from tui.toolkit.application import take_back, write


class Toasts:
    """Shows texts, always made safe and never read as markup."""

    def __init__(self, app: App[Any], configuration: Configuration, workspace: Path, env: Mapping[str, str]) -> None:
        self._app, self._configuration = app, configuration
        self._workspace, self._env = workspace, env
        self._said: dict[str, list[tuple[str, str, Severity]]] = {}
        """The shown toasts by what they are about, to remove them together."""

    def say(self, text: str, *, title: str = "", severity: Severity = "information", about: str = "") -> None:
        """Shows a toast; `over` of the same `about` removes it."""
        if about:
            self._said.setdefault(about, []).append((safe(text), safe(title), severity))
        # Seconds on screen: a toast with a title has more to read.
        self._toast(safe(text), safe(title), severity, 8 if title else 5)

    def over(self, about: str) -> None:
        for said in self._said.pop(about, ()):
            take_back(self._app, *said)

    def fail(self, error: MemdeckError) -> None:
        """Shows an error with its title and hint; a cancel by the operator only as a message."""
        if isinstance(error, Cancelled):
            self.say(error.message)
            return
        hint = f"\n{safe(error.hint)}" if error.hint else ""
        where = f"{safe(error.where)}: " if error.where else ""
        # Twelve seconds, for an error has a hint to be read and done.
        self._toast(f"{where}{safe(error.message)}{hint}", error.title, "error", 12)

    def _toast(self, text: str, title: str, severity: Severity, seconds: float) -> None:
        """Shows a toast; an equal one on screen is replaced, so that it stays longer."""
        take_back(self._app, text, title, severity)
        self._app.notify(text, title=title, severity=severity, markup=False, timeout=seconds)

    def announce(self, title: str, text: str) -> None:
        """Announces something outside the console, if the settings say so."""
        way = self._configuration.settings.notify
        if way != "off":
            from tui.system.announcement import announce

            announce(way, title, text, lambda sequence: write(self._app, sequence), self._workspace)

    def copy(self, text: str, *, into_file: bool = False) -> None:
        """Copies a text, with `into_file` also into a file, and says how."""
        from tui.system.clipboard import copy, to_file

        if not text:
            self.say("there is nothing to copy here")
            return
        folder = state_home(self._env)
        try:
            said = copy(text, self._app.copy_to_clipboard, self._workspace, folder, self._env)
            said = f"{said} · {to_file(text, folder)}" if into_file else said
        except OSError as error:
            self.say(f"could not be copied: {error.strerror}", severity="warning")
        else:
            self.say(said)
