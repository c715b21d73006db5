"""Applies the chosen theme, one of memdeck's or of the operator's, again after each change of its file."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual.app import App

from engine.errors import MemdeckError
from tui.present.words import safe
from tui.settings.file import Signature, signature_of
from tui.widgets import themes


class ThemeChoice:
    """Knows all themes; `folder` holds the operator's own `.toml` files."""

    def __init__(self, app: App[Any], folder: Path | None, failed: Callable[[MemdeckError], None]) -> None:
        self._app, self._folder, self._failed = app, folder, failed
        self._seen: Signature | None = None
        self._readings = 0
        self.chosen = themes.DEFAULT

    def names(self) -> tuple[str, ...]:
        own = sorted(path.stem for path in self._folder.glob("*.toml")) if self._folder else []
        return (*themes.names(), *(safe(name) for name in own if name not in themes.names()))

    def title(self, name: str) -> str:
        """Returns the words for a theme in a list; those of an own theme begin with its name."""
        if name in themes.names():
            return themes.title(name)
        return f"{name}, your own"

    def file(self, name: str) -> Path | None:
        """Returns the operator's file of a theme, which also replaces one of memdeck's; None without one."""
        path = self._folder / f"{name}.toml" if self._folder and "/" not in name and name else None
        return path if path is not None and path.is_file() else None

    def begin(self, name: str) -> None:
        """Applies the first theme, or the default if it is unusable, which is reported later."""
        try:
            self.wear(name or themes.DEFAULT)
        except MemdeckError:
            self.wear(themes.DEFAULT)

    def wear(self, name: str) -> None:
        """Applies a theme. Raises `UsageError` if it is unusable; the present one then stays."""
        path = self.file(name)
        signature = signature_of(path)
        if path is None:
            look = themes.look(name)
        else:
            self._readings += 1
            look = themes.put_on(themes.read(path), f"{name}@{self._readings}")
        self._app.register_theme(look.theme)
        self._app.theme = look.name
        self.chosen, self._seen = name, signature

    def choose(self, name: str) -> bool:
        """Applies a theme by name and reports an error; tells whether it applied."""
        try:
            self.wear(name)
        except MemdeckError as error:
            self._failed(error)
            return False
        return True

    def try_on(self, name: str) -> None:
        """Applies a theme for a look, without reporting errors."""
        if name != self.chosen:
            with suppress(MemdeckError):
                self.wear(name)

    def poll(self) -> None:
        """Applies the theme again after its file changed; an error is reported, and the old colours stay."""
        signature = signature_of(self.file(self.chosen))
        if signature != self._seen:
            self._seen = signature
            self.choose(self.chosen)


def check_theme(name: str, folder: Path) -> tuple[MemdeckError, ...]:
    """Returns the errors of a theme by its name; none for the default."""
    path = folder / f"{name}.toml"
    try:
        if name:
            themes.read(path) if path.is_file() else themes.look(name)
    except MemdeckError as error:
        return (error,)
    return ()
