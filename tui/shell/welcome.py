"""Tells a newcomer of the tour, in a line and without taking the focus, until it was seen or a few sessions passed."""

from pathlib import Path

from tui.present.spans import hint
from tui.shell.remembered_theme import keep_value, kept_value

_NAME, _KEY = "welcome.json", "sessions"
_SESSIONS = 3  # starts at which the tour is offered
INVITATION = hint("new here? `:tour` shows you round, `?` lists the keys")
INVITATION_BRIEF = hint("new? `:tour`")  # for a narrow terminal, in place of a hint or two


class Welcome:
    """Remembers in the operator's state folder how often the console was opened. None: it remembers nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.inviting = False

    def begin(self) -> None:
        """Another session."""
        if self._folder is not None:
            kept = kept_value(self._folder, _NAME, _KEY)
            sessions = kept if isinstance(kept, int) else 0
            self.inviting = sessions < _SESSIONS
            if self.inviting:
                keep_value(self._folder, _NAME, _KEY, sessions + 1)

    def toured(self) -> None:
        """The tour was seen: no invitation any more."""
        self.inviting = False
        keep_value(self._folder, _NAME, _KEY, _SESSIONS)
