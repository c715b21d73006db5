"""Keeps how far each session file was read, in the operator's state, so that a restart replays nothing."""

from collections.abc import Mapping

import msgspec

from engine.errors import Damaged, MemdeckError, Refused
from engine.sessions.tail import ReadMark
from engine.state.database import StateDatabase
from engine.state.rows import READ_MARKS
from engine.state.table import Table

Marks = dict[str, ReadMark]  # by the file's path in its place


class ReadMarkStore:
    """The marks of one consumer, by the place's real path. What cannot be read counts as never written."""

    def __init__(self, database: StateDatabase, consumer: str) -> None:
        self._table = Table(database, READ_MARKS)
        self._consumer = consumer
        self._written: dict[str, Marks] = {}

    def load(self, place: str) -> Marks | None:
        """One place's marks; None where it was never followed: then its files are followed from their end."""
        return self._table.values(Marks).get(self._key(place))

    def save(self, place: str, marks: Mapping[str, ReadMark]) -> None:
        """Keeps one place's marks; those of others stay. Raises `OSError` where the disk refuses."""
        new = dict(marks)
        if self._written.get(place) == new:
            return
        try:
            with self._table.change() as rows:
                rows.put(self._key(place), msgspec.json.encode(new))
        except (Damaged, Refused):  # read-only, or the status says what is wrong: then nothing is kept
            return
        except MemdeckError as error:
            raise OSError(0, error.message, error.where) from error
        self._written[place] = new

    def _key(self, place: str) -> str:
        """Gives the key of one place's marks: each consumer reads for itself."""
        return f"{self._consumer}\n{place}"
