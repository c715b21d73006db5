"""The tables of `state.db`: rows with a key, a value and a checksum. SQLite finds a damaged page, but not a value
that was altered in it; the checksum does."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from engine.errors import Damaged, Refused
from engine.text.pattern_file import toml_file

if TYPE_CHECKING:
    import apsw

    from engine.state.database import StateDatabase


class StateTable(StrEnum):
    """The tables, in the order in which memdeck's versions added them."""

    JOB_RUNS = "job_runs"
    SAVED_SEARCHES = "saved_searches"
    REFERENCES = "search_references"
    FOLLOWED_PATHS = "followed_paths"
    SNOOZES = "snoozes"
    READ_MARKS = "read_marks"
    GAUGE_SAMPLES = "gauge_samples"
    DRY_RUNS = "dry_runs"
    OPERATION_FOLDS = "operation_folds"
    DECISIONS = "decisions"
    JUDGEMENTS = "judgements"
    TALLIES = "tallies"
    TRANSCRIPTS = "transcripts"
    FLUSH_MARKS = "flush_marks"
    SESSION_BACKUPS = "session_backups"
    COMPACTIONS = "compactions"
    LOADED_FILES = "loaded_files"
    BLIND_ANSWERS = "blind_answers"
    REFERENCE_DAYS = "reference_days"
    DIFF_COMMENTS = "diff_comments"
    FACT_WORDS = "fact_words"
    VERIFIED_LINES = "verified_lines"
    QUEUE_RULES = "queue_rules"


FOLDED = frozenset({StateTable.OPERATION_FOLDS})
"""Tables with facts that operations tell too: a lost row is made again when it is needed."""

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
T = TypeVar("T")


@cache
def titles() -> Mapping[str, str]:
    """Gives the name of each table's content in the operator's words."""
    return toml_file(__package__, "tables.toml")


def schema(table: str) -> str:
    """Gives the SQL that makes a table. Rows are ordered by the time at which their key was first written."""
    return (
        f"CREATE TABLE {table}(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body BLOB NOT NULL,"
        " checksum INTEGER NOT NULL) STRICT"
    )


class TableRows:
    """Reads and changes one table. `altered` counts the rows that were skipped because their checksum is wrong."""

    def __init__(self, connection: "apsw.Connection", table: str) -> None:
        self._connection = connection
        self._table = table
        # A key as bytes: one that was altered may be no text, and would be an error where it is only a row less.
        self._row = f"SELECT CAST(key AS BLOB), body, checksum FROM {table}"  # noqa: S608
        self.altered = 0

    def all(self) -> dict[str, bytes]:
        """Gives the value of each key, without altered rows."""
        return dict(self.readable())

    def values(self, kind: type[T], least: str = "") -> dict[str, T]:
        """Decodes the rows with keys from `least` on; skips and counts altered rows and undecodable values."""
        found: dict[str, Any] = {}
        for key, body in self.readable(least):
            try:
                found[key] = msgspec.json.decode(body, type=kind)
            except (msgspec.DecodeError, RecursionError):
                self.altered += 1
        return found

    def readable(self, least: str = "") -> Iterator[tuple[str, bytes]]:
        """Yields key and value row by row, so that a caller keeps what comes before damage."""
        only = (" WHERE key >= ?", (least,)) if least else ("", ())
        for row in self._connection.execute(f"{self._row}{only[0]} ORDER BY id", only[1]):
            if (whole := self._whole(*row)) is None:
                self.altered += 1
            else:
                yield whole

    def get(self, key: str) -> bytes | None:
        """Gives the value of a key; None where there is none, or it was altered."""
        row = self._connection.execute(f"{self._row} WHERE key = ?", (key,)).fetchone()
        found = self._whole(*row) if row is not None else None
        return found[1] if found is not None else None

    def names(self) -> tuple[str, ...]:
        """Gives every key, also of altered rows, so that a new key can differ from all."""
        rows = self._connection.execute(f"SELECT CAST(key AS BLOB) FROM {self._table} ORDER BY id")  # noqa: S608
        return tuple(bytes(key).decode("utf-8", "replace") for (key,) in rows if isinstance(key, bytes))

    def count(self, key: str) -> int:
        """Gives the value of a key as a number; 0 where there is none."""
        body = self.get(key)
        return int(body) if body is not None and body.isdigit() else 0

    def extent(self) -> tuple[int, int]:
        """Gives the highest row number, 0 for none, and the number of rows."""
        row = self._connection.execute(f"SELECT coalesce(max(id), 0), count(*) FROM {self._table}").fetchone()  # noqa: S608
        return (int(row[0]), int(row[1])) if row is not None else (0, 0)

    def add(self, key: str, body: bytes) -> int | None:
        """Adds a row and gives its number; None where the key exists."""
        self._connection.execute(
            f"INSERT INTO {self._table}(key, body, checksum) VALUES(?, ?, ?) ON CONFLICT(key) DO NOTHING",
            (key, body, self._checksum(key.encode(), body)),
        )
        return self._connection.last_insert_rowid() if self._connection.changes() else None

    def numbers(self, after: int, most: int) -> tuple[int, ...]:
        """Gives the `most` highest row numbers above `after`, in rising order."""
        query = f"SELECT id FROM {self._table} WHERE id > ? ORDER BY id DESC LIMIT ?"  # noqa: S608
        return tuple(int(number) for (number,) in self._connection.execute(query, (after, most)))[::-1]

    def numbered(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Yields the values of these row numbers, without missing and altered rows."""
        for number in numbers:
            row = self._connection.execute(f"{self._row} WHERE id = ?", (number,)).fetchone()
            if row is not None and (whole := self._whole(*row)) is not None:
                yield number, whole[1]

    def latest(self, most: int) -> tuple[tuple[int, bytes], ...]:
        """Gives number and value of the newest rows that are not altered, oldest first."""
        query = f"SELECT id, CAST(key AS BLOB), body, checksum FROM {self._table} ORDER BY id DESC LIMIT ?"  # noqa: S608
        rows: Iterable[tuple[Any, ...]] = self._connection.execute(query, (most,))
        found = [(int(number), whole[1]) for number, *row in rows if (whole := self._whole(*row)) is not None]
        return tuple(found[::-1])

    def below(self, number: int) -> tuple[tuple[int, str], ...]:
        """Gives number and key of the rows up to `number`."""
        query = f"SELECT id, CAST(key AS BLOB) FROM {self._table} WHERE id <= ? ORDER BY id"  # noqa: S608
        rows: Iterable[tuple[Any, ...]] = self._connection.execute(query, (number,))
        return tuple((int(found), bytes(key).decode("utf-8", "replace")) for found, key in rows)

    def drop_numbers(self, numbers: Iterable[int]) -> None:
        self._connection.executemany(f"DELETE FROM {self._table} WHERE id = ?", ((n,) for n in numbers))  # noqa: S608

    def put(self, key: str, body: bytes) -> None:
        """Writes a row; replaces an earlier value of its key."""
        self._connection.execute(
            f"INSERT INTO {self._table}(key, body, checksum) VALUES(?, ?, ?)"
            " ON CONFLICT(key) DO UPDATE SET body = excluded.body, checksum = excluded.checksum",
            (key, body, self._checksum(key.encode(), body)),
        )

    def drop(self, key: str) -> None:
        self._connection.execute(f"DELETE FROM {self._table} WHERE key = ?", (key,))  # noqa: S608

    def _whole(self, key: object, body: object, checksum: object) -> tuple[str, bytes] | None:
        """Gives key and value; None where the checksum is wrong."""
        if not isinstance(key, bytes) or not isinstance(body, bytes) or checksum != self._checksum(key, body):
            return None
        return key.decode(), body

    def _checksum(self, key: bytes, body: bytes) -> int:
        # Table and key are part of it: a row that was moved to another key or table counts as altered.
        return zlib.crc32(body, zlib.crc32(b"%s\0%s\0" % (self._table.encode(), key)))


class Table:
    """One table of the database. Every change is a transaction, so that changes of other processes stay."""

    def __init__(self, database: "StateDatabase", name: str) -> None:
        self.database = database
        self.name = name

    def read(self, ask: Callable[[TableRows], T], nothing: T) -> T:
        """Gives the answer of `ask`; `nothing` where the database cannot be read."""
        return self.database.read(lambda connection: ask(TableRows(connection, self.name)), nothing)

    def values(self, kind: type[T], least: str = "") -> dict[str, T]:
        """Decodes the rows with keys not below `least`, oldest key first; none where nothing can be read."""
        altered = 0

        def ask(rows: TableRows) -> dict[str, T]:
            nonlocal altered
            found = rows.values(kind, least)
            altered = rows.altered
            return found

        nothing: dict[str, T] = {}
        found = self.read(ask, nothing)
        if altered:
            self.database.problem = f"{altered} of the {titles()[self.name]} are not as they were written"
        return found

    def get(self, key: str, kind: type[T]) -> T | None:
        """Gives the value of a key; None where there is none that can be read."""

        def ask(rows: TableRows) -> T | None:
            body = rows.get(key)
            try:
                return msgspec.json.decode(body, type=kind) if body is not None else None
            except (msgspec.DecodeError, RecursionError):
                return None

        return self.read(ask, None)

    def extent(self) -> tuple[int, int]:
        """Gives the highest row number and the number of rows: a quick sign of added or deleted rows."""
        return self.read(TableRows.extent, (0, 0))

    @contextmanager
    def change(self) -> Iterator[TableRows]:
        """Opens the rows in one transaction. Raises as `StateDatabase.transaction`."""
        with self.database.transaction() as connection:
            yield TableRows(connection, self.name)

    def keep(self, key: str, body: bytes) -> None:
        """Writes one row; does nothing where the state is read-only or damaged, which the status tells."""
        with suppress(Damaged, Refused), self.change() as rows:
            rows.put(key, body)
