"""Remembers the theme chosen in the console; `theme` in `console.yaml` overrides it."""

import json
from pathlib import Path

from engine.state.private_files import make_private, write_private

_NAME = "choices.json"
_LONGEST = 100  # characters of a name; a longer one was never chosen here


class RememberedTheme:
    """Reads the theme at the start and saves each choice; without a folder it saves nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        name = kept_value(folder, _NAME, "theme")
        self.name = name if isinstance(name, str) and len(name) <= _LONGEST else ""

    def keep(self, name: str) -> bool:
        """Saves a choice for the next start; False if the folder cannot be written."""
        self.name = name
        return keep_value(self._folder, _NAME, "theme", name)


def kept_value(folder: Path | None, name: str, key: str) -> object:
    """Reads a value from a file of the operator's state folder; None if there is none or it is unreadable."""
    try:
        values = json.loads((folder / name).read_bytes()) if folder else {}
    except (OSError, ValueError):
        return None
    return values.get(key) if isinstance(values, dict) else None


def keep_value(folder: Path | None, name: str, key: str, value: str | int) -> bool:
    """Writes a file with only this value; False if the folder cannot be written."""
    if folder is None:
        return False
    try:
        make_private(folder)
        write_private(folder / name, json.dumps({key: value}).encode())
    except OSError:
        return False
    return True
