"""Remembers the theme that was chosen in the console, in the operator's state; `theme` in `console.yaml` wins."""

import json
from pathlib import Path

from engine.state.private_files import make_private, write_private

_NAME = "choices.json"
_LONGEST = 100  # characters of a name; a longer one was never chosen here


class RememberedTheme:
    """Reads it at the start, and keeps each choice. Without a folder it remembers nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        name = kept_value(folder, _NAME, "theme")
        self.name = name if isinstance(name, str) and len(name) <= _LONGEST else ""

    def keep(self, name: str) -> bool:
        """Keeps a choice for the next start; False where the folder cannot be written, which costs that alone."""
        self.name = name
        return keep_value(self._folder, _NAME, "theme", name)


def kept_value(folder: Path | None, name: str, key: str) -> object:
    """Reads a value from a file of the operator's state folder; None where there is none that can be read."""
    try:
        found = json.loads((folder / name).read_bytes()) if folder else {}
    except (OSError, ValueError):
        return None
    return found.get(key) if isinstance(found, dict) else None


def keep_value(folder: Path | None, name: str, key: str, value: str | int) -> bool:
    """Writes the file with this value alone; False where the folder cannot be written."""
    if folder is None:
        return False
    try:
        make_private(folder)
        write_private(folder / name, json.dumps({key: value}).encode())
    except OSError:
        return False
    return True
