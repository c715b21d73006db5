"""The part of a session that a flush is made of: its turns after those that earlier flushes saved (decision B18)."""

from datetime import datetime

import msgspec


class FlushTurn(msgspec.Struct, frozen=True, gc=False):
    """A turn as it was said. `number` counts the turns of the session from 1; `line` is where it stands in its file.
    `mark` says where the words are not known to be the owner's (decision D57)."""

    number: int
    line: int
    role: str
    text: str
    at: datetime | None = None
    mark: str = ""


class FlushSession(msgspec.Struct, frozen=True, kw_only=True):
    """The turns of one session that no flush has saved. `source` names the file, also where a backup is read."""

    source: str
    session: str
    turns: tuple[FlushTurn, ...]
    left_out: int = 0  # characters of turns too long to be read

    @property
    def first(self) -> int:
        return self.turns[0].number

    @property
    def last(self) -> int:
        return self.turns[-1].number

    @property
    def at(self) -> datetime | None:
        """The instant of the last turn that tells one."""
        return next((turn.at for turn in reversed(self.turns) if turn.at is not None), None)
