"""Remembers followed session files and folders, and how far each was read, in the operator's state. Never in the
workspace: the agent can write there, and followed files are read with the operator's rights."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from engine.errors import Damaged, MemdeckError, Refused, UsageError
from engine.sessions.folder import SessionFolder
from engine.sessions.tail import ReadMark
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.paths import WorkspaceRoot

MOST = 50  # paths that are remembered


class Follows(msgspec.Struct, frozen=True):
    """The followed paths in the order of adding: existing ones and missing ones."""

    there: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()


class FollowStore:
    """The followed paths; ignores paths that are not absolute. None if unreadable."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.FOLLOWED_PATHS)

    def now(self) -> Follows:
        """Checks again which paths exist."""
        found = [(path, _is_there(path)) for path in _paths(self._table.values(dict))]
        return Follows(tuple(path for path, there in found if there), tuple(path for path, there in found if not there))

    def add(self, path: Path) -> None:
        """Adds a path. Raises `UsageError` if nothing is there, or too many are followed."""
        SessionFolder.open(path).close()
        name = str(path)
        if any("\ud800" <= char <= "\udfff" for char in name):
            raise UsageError("a path that is not UTF-8 cannot be remembered", where=name)
        with self._table.change() as rows:
            known = _paths(rows.all())
            if path in known:
                return
            if len(known) >= MOST:
                raise UsageError(f"{MOST} paths are followed already", where=name, hint="let go of one first")
            rows.put(name, b"{}")

    def forget(self, path: Path) -> None:
        """Removes a path, existing or not. Raises `UsageError` if it was not followed."""
        with self._table.change() as rows:
            if path not in _paths(rows.all()):
                raise UsageError("is not followed", where=str(path), hint="memdeck topics follow lists what is")
            rows.drop(str(path))


@contextmanager
def session_places(root: WorkspaceRoot, database: StateDatabase) -> Iterator[tuple[SessionFolder, ...]]:
    """Opens the workspace's transcripts and all followed places, and closes them afterwards."""
    places = (SessionFolder(root, CONVERSATIONS), *map(SessionFolder.open, FollowStore(database).now().there))
    try:
        yield places
    finally:
        for place in places:
            place.close()


def _paths(names: Iterable[str]) -> list[Path]:
    return [Path(name) for name in names if name.startswith("/") and "\0" not in name][:MOST]


def _is_there(path: Path) -> bool:
    try:
        SessionFolder.open(path).close()
    except (MemdeckError, OSError):
        return False
    return True


Marks = dict[str, ReadMark]  # by the file's path in its place


class ReadMarkStore:
    """The read marks of one consumer, by the place's real path. Unreadable marks count as missing."""

    def __init__(self, database: StateDatabase, consumer: str) -> None:
        self._table = Table(database, StateTable.READ_MARKS)
        self._consumer = consumer
        self._written: dict[str, Marks] = {}

    def load(self, place: str) -> Marks | None:
        """Returns a place's marks; None if it was never followed: its files are then followed from their end."""
        return self._table.values(Marks).get(self._key(place))

    def save(self, place: str, marks: Mapping[str, ReadMark]) -> None:
        """Stores a place's marks. Raises `OSError`."""
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
        """Returns the key of a place's marks for this consumer."""
        return f"{self._consumer}\n{place}"
