"""Defines an edit of a file as an agent's tool call names it."""

from datetime import datetime

import msgspec


class FileEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that wrote a file, as its session says it. `old` is None where the whole file was written. `turn` is
    the line of the session's file. Nothing of it is trusted: it counts where the file's own bytes agree."""

    path: str
    old: str | None
    new: str
    at: datetime
    session: str
    turn: int
    everywhere: bool = False
    """Every place of `old` was replaced."""
