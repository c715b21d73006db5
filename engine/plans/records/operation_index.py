"""An index of the operations: which ones touched a path, displaced bytes, or changed lines with a text. Callers read
the records that it names. Missing operations are added when it is used; a damaged index is rebuilt."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from heapq import heappop, heappush
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import Damaged
from engine.plans.diff import split_lines
from engine.plans.operation import Operation, OperationState, Rename, id_order
from engine.plans.prediction import paths_of
from engine.plans.records.operation_cache import Load, Outline
from engine.text.digits import whole_number
from engine.workspace.private_database import DatabaseFormat, open_database
from engine.workspace.system_calls import UNWRITTEN

if TYPE_CHECKING:
    import apsw

Side = tuple[str, bytes | None, bytes | None]
"""A path that an operation changed, with its bytes before and after; None for no file or unknown bytes."""
_SCHEMA = """
CREATE TABLE parts(name TEXT PRIMARY KEY, through TEXT NOT NULL, damaged INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE touched(path TEXT, operation INTEGER, PRIMARY KEY(path, operation)) WITHOUT ROWID;
CREATE TABLE displaced(sha256 TEXT PRIMARY KEY, path TEXT NOT NULL, operation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE unread(operation INTEGER PRIMARY KEY, committed INTEGER NOT NULL);
CREATE VIRTUAL TABLE lines USING fts5(text, content='', contentless_delete=1, detail=none,
    tokenize='trigram case_sensitive 1');
"""
_FORMAT = DatabaseFormat(
    what="an index of operations",
    application=0x6D646F70,
    version=1,
    schema=_SCHEMA,
    pragmas="PRAGMA journal_mode=delete; PRAGMA synchronous=normal",
    busy_milliseconds=5000,
)
_GRAM = 3  # characters of a piece of text that the index knows
_MOST_GRAMS = 60  # pieces that are asked for: more of them find hardly fewer operations
_AT_ONCE = 500  # operations whose lines are written at once
_LARGEST = 8 << 20  # characters of changed lines that are indexed; an operation with more is always read
_PER_DAY = 1_000_000_000  # operations of one day that keep their order


class OperationIndex:
    """Names the operations that concern a question. Safe between threads and processes."""

    def __init__(self, file: Path, outlines: Callable[[], list[Outline]], load: Load) -> None:
        self._file, self._outlines, self._load = file, outlines, load

    def touching(self, names: Callable[[], Iterable[str]]) -> Iterator[Operation]:
        """Yields the operations that touched a file, newest first. `names` gives the file's names known so far."""
        db, lacking = self._with_paths()
        with closing(db):
            waiting, asked, last = sorted(-_number(name) for name in lacking), set[str](), _number("o-99999999-0")
            while True:
                for name in set(names()) - asked:
                    asked.add(name)
                    query = "SELECT operation FROM touched WHERE path = ? AND operation < ?"
                    for (number,) in self._rows(db, query, name, last):
                        heappush(waiting, -number)
                if not waiting:
                    return
                if (number := -heappop(waiting)) != last and (operation := self._read(number)) is not None:
                    yield operation
                last = number

    def displaced(self) -> Iterator[tuple[str, str, str]]:
        """Yields the sha256 of displaced bytes, with path and operation of the newest write that displaced them."""
        db, _ = self._with_paths()
        with closing(db):
            for sha256, path, number in self._rows(db, "SELECT sha256, path, operation FROM displaced"):
                yield sha256, path, _name(number)

    def holding(
        self, text: str, sides: Callable[[Operation], Sequence[Side]], *, committed: bool
    ) -> Iterator[tuple[Operation, Sequence[Side]]]:
        """Yields operations that may have changed a line with the text, newest first; `committed`: those in git too."""
        with closing(self._database()) as db:
            lacking, damaged = self._lacking(db, "lines")
            rows: list[tuple[int, str | None]] = []
            for outline in lacking:
                if (operation := self._read(number := _number(outline.name))) is None:
                    continue
                # Git finds the lines of committed operations, unless the caller wants them from here.
                looked = committed or not operation.commit
                changed = sides(operation) if looked else ()
                if looked:
                    yield operation, changed
                rows.append((number, None if operation.commit else _changed(changed)))
                if len(rows) >= _AT_ONCE:
                    _add_lines(db, rows)
            _add_lines(db, rows)
            _keep_part(db, "lines", _ready(lacking), damaged)
            known = {_number(outline.name) for outline in lacking}
            for number in self._candidates(db, text, committed=committed):
                operation = self._read(number) if number not in known else None
                if operation is not None and (committed or not operation.commit):
                    yield operation, sides(operation)

    def _candidates(self, db: "apsw.Connection", text: str, *, committed: bool) -> list[int]:
        """Gives operations that may have changed such a line; all for a text that is too short or has several lines."""
        grams = list(dict.fromkeys(text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)))[:_MOST_GRAMS]
        if not grams or "\n" in text:
            return [_number(outline.name) for outline in self._outlines()]
        asked = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams)
        query = "SELECT rowid FROM lines WHERE lines MATCH ? UNION SELECT operation FROM unread WHERE committed <= ?"
        rows = self._rows(db, f"{query} ORDER BY 1 DESC", asked.encode("utf-8", "replace").decode(), int(committed))
        return [number for (number,) in rows]

    def _with_paths(self) -> "tuple[apsw.Connection, list[str]]":
        """Gives the index with the paths of finished operations, and the names of the unfinished."""
        import apsw

        db = self._database()
        try:
            return db, self._add_paths(db)
        except apsw.Error:  # the disk is full, or the file is damaged
            db.close()
            self._discard()
            db = apsw.Connection(":memory:")
            db.execute(_SCHEMA)
            return db, self._add_paths(db)

    def _add_paths(self, db: "apsw.Connection") -> list[str]:
        lacking, damaged = self._lacking(db, "paths")
        if ready := _ready(lacking):
            with db:
                for outline in ready:
                    if (operation := self._read(number := _number(outline.name))) is not None:
                        _add_touched(db, number, operation)
                _keep_part(db, "paths", ready, damaged)
        return [outline.name for outline in lacking[: len(lacking) - len(ready)]]

    def _lacking(self, db: "apsw.Connection", part: str) -> tuple[list[Outline], int]:
        """Gives the operations that a part of the index lacks, newest first, and the number of damaged records."""
        outlines = self._outlines()
        damaged = sum(bool(outline.damage) for outline in outlines)
        row = db.execute("SELECT through, damaged FROM parts WHERE name = ?", (part,)).fetchone()
        # One that was damaged and is whole again may lie anywhere.
        if row is None or damaged < row[1]:
            return outlines, damaged
        # All of them where the last one that was added is gone: what is added twice stands there once.
        return list(takewhile(lambda outline: outline.name != row[0], outlines)), damaged

    def _read(self, number: int) -> Operation | None:
        try:
            return self._load(_name(number))
        except Damaged:
            return None

    def _rows(self, db: "apsw.Connection", query: str, *values: str | int) -> "list[tuple[Any, ...]]":
        import apsw

        try:
            return list(db.execute(query, values))
        except apsw.Error as error:
            self._discard()
            what = f"the index of operations is damaged: {error}"
            raise Damaged(what, hint="run this again; the index is rebuilt") from error

    def _database(self) -> "apsw.Connection":
        """Opens the index; one in memory where the file cannot be used or rebuilt."""
        import apsw

        for _ in range(2) if self._file.parent not in UNWRITTEN else ():
            with suppress(apsw.Error, OSError):
                return open_database(self._file, _FORMAT)
            self._discard()
        db = apsw.Connection(":memory:")
        db.execute(_SCHEMA)
        return db

    def _discard(self) -> None:
        for name in (self._file, self._file.with_name(f"{self._file.name}-journal")):
            with suppress(OSError):
                name.unlink(missing_ok=True)


def _ready(lacking: Sequence[Outline]) -> list[Outline]:
    """Gives the operations before the first that is still running, oldest first."""
    settled = takewhile(lambda one: one.damage or one.state is not OperationState.RUNNING, reversed(lacking))
    return list(settled)


def _keep_part(db: "apsw.Connection", part: str, ready: Sequence[Outline], damaged: int) -> None:
    import apsw

    if ready:
        with suppress(apsw.Error):  # then they are added again
            db.execute("INSERT OR REPLACE INTO parts VALUES(?, ?, ?)", (part, ready[-1].name, damaged))


def _add_touched(db: "apsw.Connection", number: int, operation: Operation) -> None:
    for path in paths_of(operation.effects):
        db.execute("INSERT OR IGNORE INTO touched VALUES(?, ?)", (path, number))
    for effect in operation.effects:
        if not isinstance(effect, Rename) and effect.before is not None:
            db.execute("INSERT OR REPLACE INTO displaced VALUES(?, ?, ?)", (effect.before, effect.path, number))


def _add_lines(db: "apsw.Connection", rows: list[tuple[int, str | None]]) -> None:
    """Writes the changed lines of these operations and empties the list; None: the operation itself must be read."""
    import apsw

    with suppress(apsw.Error), db:  # then they are added again
        for number, text in rows:
            if text is None or len(text) > _LARGEST:
                db.execute("INSERT OR REPLACE INTO unread VALUES(?, ?)", (number, int(text is None)))
            else:
                db.execute("INSERT OR REPLACE INTO lines(rowid, text) VALUES(?, ?)", (number, text))
    rows.clear()


def _changed(sides: Iterable[Side]) -> str:
    changed: set[str] = set()
    for _, *both in sides:
        before, after = (set(split_lines((data or b"").decode("utf-8", "replace"))) for data in both)
        changed |= before ^ after
    return "\n".join(sorted(changed)).replace("\0", "�")  # at a NUL the index would stop


def _number(name: str) -> int:
    day, number = id_order(name)
    return (whole_number(day) or 0) * _PER_DAY + number


def _name(number: int) -> str:
    return f"o-{number // _PER_DAY}-{number % _PER_DAY:04d}"
