"""Defines the tables of `memory.db`, and opens it: as a single file, trusting nothing in it (decision D14)."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import apsw
import msgspec
import numpy as np

from engine.search.store.seal import PAGE
from engine.search.store.vault import NotOurs, SealedVFS, Vault
from engine.search.values import NAME
from engine.text.arrays import Ints

VERSION = 8  # raised whenever words, chunks or tables change: an index of another version is made anew
CACHE_KIB = 32_768  # KiB of pages that SQLite keeps in memory
MOST_NUMBERS, HOLES = 16_000_000, 8
"""Chunk ids are never used twice, and tables in memory go by them: from so many on, with so many for each chunk that is
there, an index is made anew. A million chunks must have been rewritten sixteen times until then."""

# The ids of a file's chunks are `first` to `first + count - 1`; `chunks` holds their first and last lines and how many
# words they have, three numbers of four bytes each. `dated`: the day is the file's own, not that of its last change.
# Vectors of a file's chunks lie end to end in one value, 8 bits a number; a file may have those of two models. `words`
# keeps no text: snippets come from the notes themselves. `words` has the columns of D11: what must not match as text
# (path, category) is not in it at all. What a user said in a transcript stands in `said`, not in `body`. `entries`:
# chunks with entries of another day.
TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, category TEXT NOT NULL,
 title TEXT NOT NULL, tags TEXT NOT NULL, day TEXT NOT NULL, tokens INTEGER NOT NULL, lines INTEGER NOT NULL,
 dated INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, chunks BLOB NOT NULL);
CREATE TABLE vectors (file INTEGER NOT NULL, model TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (file, model));
CREATE INDEX vectors_model ON vectors (model, file);
CREATE TABLE entries (day TEXT NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (day, chunk)) WITHOUT ROWID;
CREATE INDEX entries_chunk ON entries (chunk);
CREATE TABLE compounds (word TEXT PRIMARY KEY, stem TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(title, headings, body, marks, said, content='', contentless_delete=1,
 tokenize="ascii tokenchars '-_./:+#@&'");
CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
CREATE VIRTUAL TABLE places USING fts5vocab(words, instance);
"""

SHADOWS = (
    frozenset(f"words_{name}" for name in ("data", "idx", "docsize", "config"))
    | frozenset(f"coarse_{name}" for name in ("info", "chunks", "rowids", "vector_chunks00"))
    | {"sqlite_sequence"}
)
"""Tables that FTS5 and sqlite-vec create themselves."""
_COARSE = re.compile(r"CREATE VIRTUAL TABLE coarse USING vec0\(bits bit\[\d+\]\)")

Value = None | int | float | str | bytes
Row = tuple[Any, ...]


class Unusable(Exception):
    """The index cannot be used now. `str` is the reason in half a sentence; `damaged`: a new index would help."""

    def __init__(self, reason: str, *, damaged: bool) -> None:
        super().__init__(reason)
        self.damaged = damaged


class Database:
    """One open index, for one thread at a time."""

    def __init__(self, vault: Vault, connection: apsw.Connection, vfs: SealedVFS) -> None:
        self.vault = vault
        self._connection = connection
        self._vfs = vfs
        self.has_vectors = False  # true if sqlite-vec could be loaded

    @classmethod
    def open(cls, vault: Vault, *, create: bool) -> "Database":
        """Opens the file, and creates the tables if it is empty. Raises `Unusable` with the reason."""
        vfs = SealedVFS(vault)
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
        try:
            connection = apsw.Connection(NAME, flags=flags, vfs=vfs.name)
        except (apsw.Error, NotOurs, OSError) as error:
            raise explained(error, vault) from error
        database = cls(vault, connection, vfs)
        try:
            connection.set_busy_handler(vault.wait)
            database.has_vectors = _load_vectors(connection)
            _harden(connection)
            database._prepare(create)
        except (apsw.Error, NotOurs, OSError, Unusable) as error:
            database.close()
            raise explained(error, vault) from error
        return database

    def close(self) -> None:
        """Never fails: what a disk refuses now has failed before, or is made again from the notes."""
        with suppress(apsw.Error, OSError):
            self._connection.close(True)
        with suppress(apsw.Error):
            self._vfs.unregister()

    def rows(self, sql: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """All rows of one statement."""
        return list(self._connection.execute(sql, values))

    def many(self, sql: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Runs one statement for each of the rows."""
        self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        """A block that sees one state of the index. Its writes are saved as a whole or not at all."""
        self._connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield
            self._connection.execute("COMMIT")
        finally:
            # Still within it only where the block or its commit failed.
            if self._connection.in_transaction:
                with suppress(apsw.Error):
                    self._connection.execute("ROLLBACK")

    def copy_to(self, other: "Database") -> None:
        """Replaces another index with the content of this one."""
        with other._connection.backup("main", self._connection, "main") as copy:
            while not copy.done:
                copy.step()

    def _prepare(self, create: bool) -> None:
        if create and not self._tables():
            with self.transaction(write=True):
                if not self._tables():  # another process may have made them while we waited
                    for statement in filter(str.strip, TABLES.split(";")):
                        self.rows(statement)
                    self.set_about("version", str(VERSION))
        others = [_squeezed(str(sql)) for kind, name, sql in self._tables() if not _made_beside(kind, name, str(sql))]
        if others != [_squeezed(part) for part in TABLES.split(";") if part.strip()]:
            raise Unusable("has other tables than ours", damaged=True)
        if self.about("version") != str(VERSION):
            raise Unusable("is of another version", damaged=True)
        used = int(self.about("next_chunk") or "0")
        if used > MOST_NUMBERS and used > HOLES * self.rows("SELECT coalesce(sum(count), 0) FROM files")[0][0]:
            raise Unusable("has used up its numbers", damaged=True)

    def _tables(self) -> list[Row]:
        return self.rows("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")

    def about(self, key: str) -> str:
        """A value about the index as a whole; empty if unknown."""
        found = self.rows("SELECT value FROM about WHERE key = ?", (key,))
        return str(found[0][0]) if found else ""

    def set_about(self, key: str, value: str) -> None:
        self.rows("DELETE FROM about WHERE key = ?", (key,))
        self.rows("INSERT INTO about VALUES (?, ?)", (key, value))


def _load_vectors(connection: apsw.Connection) -> bool:
    """Loads sqlite-vec from its own package, the only extension allowed."""
    try:
        import sqlite_vec

        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
    except (ImportError, apsw.Error):
        return False
    finally:
        # At once off again: SQL of the file must not load anything.
        connection.enable_load_extension(False)
    return True


def _harden(connection: apsw.Connection) -> None:
    """Lets nothing in the file run, and nothing outside the file be touched."""
    for option, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    ):
        connection.config(option, value)
    # No statement may open a second file.
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    for name, setting in (
        ("page_size", PAGE),
        ("journal_mode", "truncate"),
        ("temp_store", "memory"),
        # Pages reach the file at the commit alone, so that the seal is broken only then.
        ("cache_spill", 0),
        ("cache_size", -CACHE_KIB),
        ("cell_size_check", 1),
        # A mapped file that is cut short by another program ends the process.
        ("mmap_size", 0),
        ("synchronous", "normal"),
    ):
        connection.pragma(name, setting)


def numbers(rows: list[Row]) -> Ints:
    """Reads the numbers of one `group_concat`: a row for each would take three times as long."""
    text = rows[0][0] if rows else None
    return np.fromstring(str(text), np.int64, sep=",") if text else np.zeros(0, np.int64)


def explained(error: Exception, vault: Vault) -> Unusable:
    """Turns any error of the database into the reason why the index cannot be used now."""
    if isinstance(error, Unusable):
        return error
    if isinstance(error, NotOurs):
        return Unusable(str(error), damaged=True)
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return Unusable(vault.problem or "is damaged", damaged=True)
    if isinstance(error, apsw.BusyError):
        return Unusable("is being written by another process", damaged=False)
    if isinstance(error, OSError):
        return Unusable(f"cannot be used: {(error.strerror or 'it cannot be opened').lower()}", damaged=False)
    return Unusable(f"cannot be used: {error}", damaged=isinstance(error, apsw.Error))


def _made_beside(kind: object, name: object, sql: str) -> bool:
    """Tells whether it is a shadow table, or the table of bits, which exists once there are vectors."""
    return kind == "table" and (name in SHADOWS or (name == "coarse" and _COARSE.fullmatch(sql) is not None))


def _squeezed(sql: str) -> str:
    return " ".join(sql.split())


class FileRow(msgspec.Struct, frozen=True):
    """The row of one file in the index."""

    id: int
    path: str
    sha256: str
    first: int
    count: int
