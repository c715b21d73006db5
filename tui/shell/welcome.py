"""Tells a newcomer of the tour, in a line and without taking the focus, until it was seen or a few sessions passed."""

import json
from pathlib import Path

from engine.state.private_files import make_private, write_private
from tui.present.spans import Line, Span

_NAME = "welcome.json"
_SESSIONS = 3
"""Starts at which the tour is offered."""
INVITATION: Line = (
    Span("new here? ", "muted"),
    Span(":tour", "key"),
    Span(" shows you round, ", "muted"),
    Span("?", "key"),
    Span(" lists the keys", "muted"),
)


INVITATION_BRIEF: Line = (Span("new? ", "muted"), Span(":tour", "key"))
"""For a narrow terminal, in place of a hint or two."""


class Welcome:
    """Remembers in the operator's state folder how often the console was opened. None: it remembers nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.inviting = False

    def begin(self) -> None:
        """Another session."""
        if self._folder is not None:
            sessions = self._read()
            self.inviting = sessions < _SESSIONS
            if self.inviting:
                self._write(sessions + 1)

    def toured(self) -> None:
        """The tour was seen: no invitation any more."""
        self.inviting = False
        if self._folder is not None:
            self._write(_SESSIONS)

    def _read(self) -> int:
        try:
            found = json.loads((self._folder / _NAME).read_bytes()) if self._folder else {}
        except (OSError, ValueError):
            return 0
        count = found.get("sessions") if isinstance(found, dict) else 0
        return count if isinstance(count, int) else 0

    def _write(self, sessions: int) -> None:
        """A folder that can't be written costs a line on screen, never the console."""
        try:
            assert self._folder is not None  # noqa: S101 - both callers looked
            make_private(self._folder)
            write_private(self._folder / _NAME, json.dumps({"sessions": sessions}).encode())
        except OSError:
            return
