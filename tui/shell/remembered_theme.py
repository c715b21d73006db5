"""Remembers the theme that was chosen in the console, in the operator's state; `theme` in `console.yaml` wins."""

import json
from pathlib import Path

from engine.state.private_files import make_private, write_private

_NAME = "choices.json"
_LONGEST = 100
"""Characters of a name; a longer one was never chosen here."""


class RememberedTheme:
    """Reads it at the start, and keeps each choice. Without a folder it remembers nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.name = self._read()

    def keep(self, name: str) -> bool:
        """Keeps a choice for the next start; False where the folder cannot be written, which costs that alone."""
        self.name = name
        if self._folder is None:
            return False
        try:
            make_private(self._folder)
            write_private(self._folder / _NAME, json.dumps({"theme": name}).encode())
        except OSError:
            return False
        return True

    def _read(self) -> str:
        try:
            found = json.loads((self._folder / _NAME).read_bytes()) if self._folder else {}
        except (OSError, ValueError):
            return ""
        name = found.get("theme") if isinstance(found, dict) else ""
        return name if isinstance(name, str) and len(name) <= _LONGEST else ""
