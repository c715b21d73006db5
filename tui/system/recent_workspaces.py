"""Remembers the workspaces that the console was opened on, newest first, in the operator's state."""

import json
from pathlib import Path

from engine.state.private_files import make_private, write_private

_NAME = "recent.json"
MOST = 3  # workspaces that are offered at the start


class RecentWorkspaces:
    """Keeps the last few folders. A file that is damaged or cannot be written costs that memory alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def there(self) -> tuple[str, ...]:
        """Lists those that are still there."""
        return tuple(path for path in self._read() if Path(path).is_dir())

    def keep(self, workspace: Path) -> None:
        """Puts a folder in front."""
        kept = [str(workspace), *(path for path in self._read() if path != str(workspace))][:MOST]
        try:
            make_private(self._folder)
            write_private(self._folder / _NAME, json.dumps(kept).encode())
        except OSError:
            return

    def _read(self) -> list[str]:
        try:
            found = json.loads((self._folder / _NAME).read_bytes())
        except (OSError, ValueError):
            return []
        return [path for path in found if isinstance(path, str) and "\0" not in path] if isinstance(found, list) else []
