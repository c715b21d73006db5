"""Holds the facts of `state.db`: a table for each kind, and rows with a checksum over key and value. SQLite finds
a damaged page, never an altered value in a page that is whole: that is what the checksum is for."""

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
    """The tables, in the order in which versions of memdeck came to have them."""

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
"""Tables that hold nothing but what the operations tell: a row that is lost is made anew by whoever asks for it."""

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
T = TypeVar("T")


@cache
def titles() -> Mapping[str, str]:
    """Gives the contents of each table in the operator's words: only a damaged table is named."""
    return toml_file(__package__, "tables.toml")


def schema(table: str) -> str:
    """The statement that makes a table. TableRows are listed in the order in which their keys were first written."""
    return (
        f"CREATE TABLE {table}(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body BLOB NOT NULL,"
        " checksum INTEGER NOT NULL) STRICT"
    )


class TableRows:
    """Reads and changes one table. `altered` counts rows that were left out because they are not as written."""

    def __init__(self, connection: "apsw.Connection", table: str) -> None:
        self._connection = connection
        self._table = table
        # A key as bytes: one that was altered may be no text, and would be an error where it is only a row less.
        self._row = f"SELECT CAST(key AS BLOB), body, checksum FROM {table}"  # noqa: S608
        self.altered = 0

    def all(self) -> dict[str, bytes]:
        """Gives every row that is as it was written."""
        return dict(self.readable())

    def values(self, kind: type[T], least: str = "") -> dict[str, T]:
        """The values of every row that is as it was written; one that is no such value counts as altered. `least`: of
        the keys that are not below it."""
        found: dict[str, Any] = {}
        for key, body in self.readable(least):
            try:
                found[key] = msgspec.json.decode(body, type=kind)
            except (msgspec.DecodeError, RecursionError):
                self.altered += 1
        return found

    def readable(self, least: str = "") -> Iterator[tuple[str, bytes]]:
        """The same one by one: whoever reads a damaged table keeps what came before the damage."""
        only = (" WHERE key >= ?", (least,)) if least else ("", ())
        for row in self._connection.execute(f"{self._row}{only[0]} ORDER BY id", only[1]):
            if (whole := self._whole(*row)) is None:
                self.altered += 1
            else:
                yield whole

    def get(self, key: str) -> bytes | None:
        """Gives the value of a key; None where there is none, or not as it was written."""
        row = self._connection.execute(f"{self._row} WHERE key = ?", (key,)).fetchone()
        found = self._whole(*row) if row is not None else None
        return found[1] if found is not None else None

    def names(self) -> tuple[str, ...]:
        """Gives every key, damaged rows' too: a new one must not be one of them."""
        rows = self._connection.execute(f"SELECT CAST(key AS BLOB) FROM {self._table} ORDER BY id")  # noqa: S608
        return tuple(bytes(key).decode("utf-8", "replace") for (key,) in rows if isinstance(key, bytes))

    def count(self, key: str) -> int:
        """Gives the value of a key where it is a number; 0 where there is none."""
        body = self.get(key)
        return int(body) if body is not None and body.isdigit() else 0

    def extent(self) -> tuple[int, int]:
        """Gives the highest number of a row, 0 where there is none, and the count of all."""
        row = self._connection.execute(f"SELECT coalesce(max(id), 0), count(*) FROM {self._table}").fetchone()  # noqa: S608
        return (int(row[0]), int(row[1])) if row is not None else (0, 0)

    def add(self, key: str, body: bytes) -> int | None:
        """Writes a value under a new key; its number, None where the key is there already."""
        self._connection.execute(
            f"INSERT INTO {self._table}(key, body, checksum) VALUES(?, ?, ?) ON CONFLICT(key) DO NOTHING",
            (key, body, self._checksum(key.encode(), body)),
        )
        return self._connection.last_insert_rowid() if self._connection.changes() else None

    def numbers(self, after: int, most: int) -> tuple[int, ...]:
        """Gives the highest numbers above `after`, the lowest of them first."""
        query = f"SELECT id FROM {self._table} WHERE id > ? ORDER BY id DESC LIMIT ?"  # noqa: S608
        return tuple(int(number) for (number,) in self._connection.execute(query, (after, most)))[::-1]

    def numbered(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Gives the values of these numbers, those that are there and as they were written."""
        for number in numbers:
            row = self._connection.execute(f"{self._row} WHERE id = ?", (number,)).fetchone()
            if row is not None and (whole := self._whole(*row)) is not None:
                yield number, whole[1]

    def latest(self, most: int) -> tuple[tuple[int, bytes], ...]:
        """Gives the numbers and values of the newest rows that are as they were written, oldest first."""
        query = f"SELECT id, CAST(key AS BLOB), body, checksum FROM {self._table} ORDER BY id DESC LIMIT ?"  # noqa: S608
        rows: Iterable[tuple[Any, ...]] = self._connection.execute(query, (most,))
        found = [(int(number), whole[1]) for number, *row in rows if (whole := self._whole(*row)) is not None]
        return tuple(found[::-1])

    def below(self, number: int) -> tuple[tuple[int, str], ...]:
        """Numbers and keys of the rows up to a number."""
        query = f"SELECT id, CAST(key AS BLOB) FROM {self._table} WHERE id <= ? ORDER BY id"  # noqa: S608
        rows: Iterable[tuple[Any, ...]] = self._connection.execute(query, (number,))
        return tuple((int(found), bytes(key).decode("utf-8", "replace")) for found, key in rows)

    def drop_numbers(self, numbers: Iterable[int]) -> None:
        """Takes rows away by their numbers."""
        self._connection.executemany(f"DELETE FROM {self._table} WHERE id = ?", ((n,) for n in numbers))  # noqa: S608

    def put(self, key: str, body: bytes) -> None:
        """Writes a value in place of an earlier one of its key."""
        self._connection.execute(
            f"INSERT INTO {self._table}(key, body, checksum) VALUES(?, ?, ?)"
            " ON CONFLICT(key) DO UPDATE SET body = excluded.body, checksum = excluded.checksum",
            (key, body, self._checksum(key.encode(), body)),
        )

    def drop(self, key: str) -> None:
        """Takes a row away; one that is not there is fine."""
        self._connection.execute(f"DELETE FROM {self._table} WHERE key = ?", (key,))  # noqa: S608

    def _whole(self, key: object, body: object, checksum: object) -> tuple[str, bytes] | None:
        """Key and value as they were written; None where they were altered."""
        if not isinstance(key, bytes) or not isinstance(body, bytes) or checksum != self._checksum(key, body):
            return None
        return key.decode(), body

    def _checksum(self, key: bytes, body: bytes) -> int:
        # Table and key are part of it: a row that was moved to another key or table counts as altered.
        return zlib.crc32(body, zlib.crc32(b"%s\0%s\0" % (self._table.encode(), key)))


class Table:
    """TableRows that outlive the process. Every change is a transaction: what another process wrote before stays."""

    def __init__(self, database: "StateDatabase", name: str) -> None:
        self.database = database
        self.name = name

    def read(self, ask: Callable[[TableRows], T], nothing: T) -> T:
        """Gives the answer of `ask`; `nothing` where the database cannot be read, which then tells its problem."""
        return self.database.read(lambda connection: ask(TableRows(connection, self.name)), nothing)

    def values(self, kind: type[T], least: str = "") -> dict[str, T]:
        """Every row, oldest key first, or those whose keys are not below `least`; none where nothing can be read."""
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
        """Gives the value of one key; None where there is none, or none that can be read."""

        def ask(rows: TableRows) -> T | None:
            body = rows.get(key)
            try:
                return msgspec.json.decode(body, type=kind) if body is not None else None
            except (msgspec.DecodeError, RecursionError):
                return None

        return self.read(ask, None)

    def extent(self) -> tuple[int, int]:
        """The highest number of a row and their count: it differs once a row came or went, and is quick to ask."""
        return self.read(TableRows.extent, (0, 0))

    @contextmanager
    def change(self) -> Iterator[TableRows]:
        """The rows, to be read and changed in one transaction. Raises as `StateDatabase.transaction`."""
        with self.database.transaction() as connection:
            yield TableRows(connection, self.name)

    def keep(self, key: str, body: bytes) -> None:
        """Writes one row. Passed over where nothing is written (read-only) or can be, which the status tells."""
        with suppress(Damaged, Refused), self.change() as rows:
            rows.put(key, body)
