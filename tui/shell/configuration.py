"""Reads the operator's `console.yaml` at the start and after each change, and reports its faults."""

from collections.abc import Mapping
from pathlib import Path

from engine.errors import MemdeckError
from tui.settings.file import ConsoleSettings, OwnCommand, SettingsRead, read_settings, settings_path, signature_of


class Configuration:
    """The settings in use; without a folder, as in tests, the defaults."""

    def __init__(self, folder: Path | None, workspace: Path) -> None:
        self._path = settings_path(folder) if folder else None
        self._workspace = workspace
        self._seen = signature_of(self._path)
        self.read = self._load()

    @property
    def settings(self) -> ConsoleSettings:
        return self.read.settings

    def changed(self) -> bool:
        """Reads the file if it changed, and tells whether it did."""
        signature = signature_of(self._path)
        if signature == self._seen:
            return False
        self._seen = signature
        self.read = self._load()
        return True

    def keymap(self) -> tuple[dict[str, str], tuple[MemdeckError, ...]]:
        """Returns the operator's keys in the toolkit's spelling and their faults, without loading any screen."""
        if not self.settings.keys:
            return {}, ()
        from tui.keys.catalog import catalog
        from tui.keys.rebinding import rebind

        rebound = rebind(self.settings.keys, catalog())
        problems = (self.read.problem(f"keys.{name}", what, hint) for name, what, hint in rebound.problems)
        return rebound.keymap, tuple(problems)

    def own_commands(self, keymap: Mapping[str, str]) -> tuple[dict[str, OwnCommand], tuple[MemdeckError, ...]]:
        """Returns the operator's commands by key, and the faults of keys that are unknown or taken."""
        if not self.settings.commands:
            return {}, ()
        from tui.keys.catalog import catalog
        from tui.keys.rebinding import untaken

        free, wrong = untaken([command.key for command in self.settings.commands], catalog(), keymap)
        commands = {key: command for key, command in zip(free, self.settings.commands, strict=True) if key}
        hint = "choose another key; none of the letters is free everywhere, f2 to f12 are"
        return commands, tuple(self.read.problem("commands", what, hint) for what in wrong)

    def _load(self) -> SettingsRead:
        return read_settings(self._path, self._workspace) if self._path else SettingsRead(ConsoleSettings())
