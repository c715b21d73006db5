"""Stores the workspace as the operator last saw it in one SQLite file: hashes of notes, texts of small ones. It is in
the state folder and can be lost without harm: a damaged file is replaced, and the next look begins anew."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import msgspec

from engine.state.private_files import inode_at
from engine.text.canonical_json import sha256_hex
from engine.workspace.private_database import DatabaseFormat, open_database

if TYPE_CHECKING:
    import apsw

LARGEST_TEXT = 256 * 1024  # bytes up to which a note's text is kept; of a larger one only its hash and size
MOST_BYTES = 64 * 1024 * 1024  # bytes of text kept in all; beyond that only hashes and sizes
_SCHEMA = """
CREATE TABLE notes(path TEXT PRIMARY KEY, sha256 TEXT NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE texts(sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE steps(id INTEGER PRIMARY KEY, path TEXT NOT NULL,
    before TEXT, size_before INTEGER NOT NULL, after TEXT, size_after INTEGER NOT NULL);
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_WHAT, _PRAGMAS = "a store of what was seen", "PRAGMA journal_mode=delete"
_FORMAT = DatabaseFormat(
    what=_WHAT, application=0x6D64736E, version=1, schema=_SCHEMA, pragmas=_PRAGMAS, busy_milliseconds=2000
)
_FORGET = """
DELETE FROM texts WHERE sha256 NOT IN (SELECT sha256 FROM notes)
    AND sha256 NOT IN (SELECT before FROM steps WHERE before NOT NULL)
    AND sha256 NOT IN (SELECT after FROM steps WHERE after NOT NULL)
"""


class SeenNote(msgspec.Struct, frozen=True, gc=False):
    """A note by the hash and size of its bytes."""

    sha256: str
    size: int


class NoteStep(msgspec.Struct, frozen=True):
    """The agent's change of one note between the last look and an operation of ours; None: no note."""

    path: str
    before: SeenNote | None
    after: SeenNote | None


class SeenStore:
    """The store of what was last seen, opened on first use. Any method may raise `OSError`."""

    def __init__(self, file: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self.file = file
        self._most = most_bytes
        self._connection: apsw.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._lock = RLock()
        """Whoever closes it waits for a question under way: a console may be left while its reader asks."""

    @property
    def begun(self) -> bool:
        """Tells whether anything was ever stored; costs one stat."""
        return self.file.exists()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def fact(self, name: str) -> str | None:
        """Returns a fact about the store: when the operator looked, the last recorded operation."""
        row = self._one("SELECT value FROM facts WHERE name = ?", (name,))
        return str(row[0]) if row else None

    def looked_at(self) -> datetime | None:
        """Returns the time of the operator's last look; None if never or unknown."""
        try:
            at = datetime.fromisoformat(self.fact("looked") or "")
        except ValueError:
            return None
        return at if at.tzinfo is not None else None

    def notes(self) -> dict[str, SeenNote]:
        """Returns every note as last seen, with our operations applied."""
        return {path: SeenNote(sha, size) for path, sha, size in self._ask("SELECT path, sha256, size FROM notes")}

    def note(self, path: str) -> SeenNote | None:
        row = self._one("SELECT sha256, size FROM notes WHERE path = ?", (path,))
        return SeenNote(row[0], row[1]) if row else None

    def steps(self) -> tuple[NoteStep, ...]:
        """Returns the agent's changes before operations of ours, in order."""
        rows = self._ask("SELECT path, before, size_before, after, size_after FROM steps ORDER BY id")
        return tuple(
            NoteStep(path, SeenNote(before, was) if before else None, SeenNote(after, now) if after else None)
            for path, before, was, after, now in rows
        )

    def text(self, sha256: str) -> bytes | None:
        """Returns the bytes with this hash; None if they were not kept or are damaged."""
        row = self._one("SELECT data FROM texts WHERE sha256 = ?", (sha256,))
        data = bytes(row[0]) if row and isinstance(row[0], bytes) else None
        return data if data is not None and sha256_hex(data) == sha256 else None

    def holds(self, sha256: str) -> bool:
        return self._one("SELECT 1 FROM texts WHERE sha256 = ?", (sha256,)) is not None

    def look(
        self,
        at: datetime,
        changed: Mapping[str, SeenNote | None],
        texts: Iterable[tuple[str, bytes]],
        taken: str,
        unseen: Iterable[NoteStep] = (),
    ) -> None:
        """Records a look: stores `changed` notes (None: gone) and new texts. `unseen` steps are kept."""
        with self._writing() as db:
            # All of them, then those back that were not on screen: their order stays.
            db.execute("DELETE FROM steps")
            _keep_steps(db, unseen)
            _keep(db, changed)
            self._keep_texts(db, texts)
            db.execute(_FORGET)
            _set(db, "looked", at.isoformat())
            _set(db, "operation", taken)

    def take_in(
        self,
        operation: str,
        notes: Mapping[str, SeenNote | None],
        steps: Iterable[NoteStep],
        texts: Iterable[tuple[str, bytes]],
    ) -> None:
        """Records the changes of our operation, so that they never count as the agent's."""
        with self._writing() as db:
            _keep_steps(db, steps)
            _keep(db, notes)
            self._keep_texts(db, texts)
            _set(db, "operation", operation)

    def _keep_texts(self, db: "apsw.Connection", texts: Iterable[tuple[str, bytes]]) -> None:
        row: Any = db.execute("SELECT coalesce(sum(length(data)), 0) FROM texts").fetchone()
        room = self._most - int(row[0])
        for sha256, data in texts:
            # The hash again: the note may have changed since it was listed.
            if len(data) <= LARGEST_TEXT and len(data) <= room and sha256_hex(data) == sha256:
                db.execute("INSERT OR IGNORE INTO texts VALUES(?, ?)", (sha256, data))
                room -= len(data)

    def _one(self, query: str, values: tuple[str, ...]) -> Any:
        rows = self._ask(query, values)
        return rows[0] if rows else None

    def _ask(self, query: str, values: tuple[str, ...] = ()) -> list[Any]:
        """Returns the rows of a query; none if nothing was stored or the file is damaged, which is then replaced."""
        import apsw

        if self._connection is None and not self.begun:
            return []
        try:
            with self._lock:
                return list(self._open().execute(query, values))
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
            self._discard()
            return []
        except apsw.Error as error:
            raise OSError(0, f"{error}", str(self.file)) from error

    @contextmanager
    def _writing(self) -> Iterator["apsw.Connection"]:
        import apsw

        try:
            with self._lock, self._open_sound() as db:
                yield db
        except (apsw.CorruptError, apsw.NotADBError) as error:
            self._discard()
            raise OSError(0, "what was last seen was damaged, it begins again", str(self.file)) from error
        except apsw.Error as error:
            raise OSError(0, f"{error}", str(self.file)) from error

    def _open_sound(self) -> "apsw.Connection":
        """Opens the store; replaces it if it is damaged at first sight."""
        import apsw

        try:
            return self._open()
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
            self._discard()
            return self._open()

    def _open(self) -> "apsw.Connection":
        if self._connection is not None and inode_at(self.file) == self._inode:
            return self._connection
        self.close()  # another process forgot something, and may have begun it anew
        self._connection = open_database(self.file, _FORMAT)
        self._inode = inode_at(self.file)
        return self._connection

    def _discard(self) -> None:
        self.close()
        # The journal as well, or SQLite would roll it back into the new file.
        for name in (self.file, self.file.with_name(self.file.name + "-journal")):
            name.unlink(missing_ok=True)


def _keep_steps(db: "apsw.Connection", steps: Iterable[NoteStep]) -> None:
    rows = [(step.path, *_columns(step.before), *_columns(step.after)) for step in steps]
    db.executemany("INSERT INTO steps(path, before, size_before, after, size_after) VALUES(?, ?, ?, ?, ?)", rows)


def _keep(db: "apsw.Connection", notes: Mapping[str, SeenNote | None]) -> None:
    gone = [(path,) for path, note in notes.items() if note is None]
    there = [(path, note.sha256, note.size) for path, note in notes.items() if note is not None]
    db.executemany("DELETE FROM notes WHERE path = ?", gone)
    db.executemany("INSERT OR REPLACE INTO notes VALUES(?, ?, ?)", there)


def _columns(note: SeenNote | None) -> tuple[str | None, int]:
    return (note.sha256, note.size) if note is not None else (None, 0)


def _set(db: "apsw.Connection", name: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO facts VALUES(?, ?)", (name, value))
