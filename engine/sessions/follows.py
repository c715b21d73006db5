"""Session files and folders that are followed besides the workspace's own, remembered in the operator's state. Never in
the workspace: the agent writes there, and what is followed is read with the operator's rights.
Remembers how far each of them was read."""

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
    """The paths that are followed, in the order in which they were named: those there, and those not there."""

    there: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()


class FollowStore:
    """The remembered paths; what is no absolute path is passed by. None where they cannot be read."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.FOLLOWED_PATHS)

    def now(self) -> Follows:
        """Each path looked at anew."""
        found = [(path, _is_there(path)) for path in _paths(self._table.values(dict))]
        return Follows(tuple(path for path, there in found if there), tuple(path for path, there in found if not there))

    def add(self, path: Path) -> None:
        """Remembers a path. `UsageError` where there is nothing to follow, or no more can be remembered."""
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
        """Forgets a path, there or not. `UsageError` where it was not remembered."""
        with self._table.change() as rows:
            if path not in _paths(rows.all()):
                raise UsageError("is not followed", where=str(path), hint="memdeck topics follow lists what is")
            rows.drop(str(path))


@contextmanager
def session_places(root: WorkspaceRoot, database: StateDatabase) -> Iterator[tuple[SessionFolder, ...]]:
    """Opens the workspace's own transcripts and what is followed besides, and closes them."""
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
    """The marks of one consumer, by the place's real path. What cannot be read counts as never written."""

    def __init__(self, database: StateDatabase, consumer: str) -> None:
        self._table = Table(database, StateTable.READ_MARKS)
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
