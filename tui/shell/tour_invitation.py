"""Invites newcomers to the tour in one line, until it was seen or some sessions passed."""

from pathlib import Path

from tui.present.spans import hint
from tui.shell.remembered_theme import keep_value, kept_value

_NAME, _KEY = "welcome.json", "sessions"
_SESSIONS = 3  # starts at which the tour is offered
INVITATION = hint("new here? `:tour` shows you round, `?` lists the keys")
INVITATION_BRIEF = hint("new? `:tour`")  # for a narrow terminal, in place of a hint or two


class Welcome:
    """Counts the sessions in the operator's state folder; without a folder it counts nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.inviting = False

    def begin(self) -> None:
        """Counts this session, and decides whether to invite."""
        if self._folder is not None:
            kept = kept_value(self._folder, _NAME, _KEY)
            sessions = kept if isinstance(kept, int) else 0
            self.inviting = sessions < _SESSIONS
            if self.inviting:
                keep_value(self._folder, _NAME, _KEY, sessions + 1)

    def toured(self) -> None:
        """Ends the invitation, since the tour was seen."""
        self.inviting = False
        keep_value(self._folder, _NAME, _KEY, _SESSIONS)
