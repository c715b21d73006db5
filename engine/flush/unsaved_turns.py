"""The part of a session that a flush is made of: its turns after those that earlier flushes saved (decision B18)."""

from datetime import datetime

import msgspec

from engine.topics.messages import SessionTurn


class FlushSession(msgspec.Struct, frozen=True, kw_only=True):
    """The turns of one session that no flush has saved. `source` names the file, also where a backup is read."""

    source: str
    session: str
    turns: tuple[SessionTurn, ...]
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
        return next((turn.said_at for turn in reversed(self.turns) if turn.said_at is not None), None)
