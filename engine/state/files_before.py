"""The files that held what `state.db` holds: taken over once, then kept beside for `recover` alone."""

import zlib
from collections import deque
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.state.failpoints import step
from engine.state.rows import (
    DECISIONS,
    DRY_RUNS,
    FOLLOWED_PATHS,
    GAUGE_SAMPLES,
    JOB_RUNS,
    JUDGEMENTS,
    OPERATION_FOLDS,
    READ_MARKS,
    REFERENCES,
    SAVED_SEARCHES,
    SNOOZES,
    TABLES,
    TALLIES,
    TableRows,
)
from engine.workspace.private_database import connect, distrust
from engine.workspace.system_calls import fsync_folder

if TYPE_CHECKING:
    import apsw

BESIDE = "before-state-db"
"""The folder in which the files lie after they were taken over."""
_LARGEST = 64 * 1024 * 1024
"""Bytes of a file of the version before that is read whole."""
_MARKS = "followed-*.json"
_UNREADABLE = (OSError, ValueError, KeyError, RecursionError, msgspec.MsgspecError)

Found = dict[str, bytes]
Row = tuple[str, str, bytes]
"""Table, key and value."""
_Reader = Callable[[Path], Iterator[Row]]


def _instants(data: bytes) -> Found:
    found = msgspec.json.decode(data, type=dict[str, datetime])
    # Of years at the ends of the calendar no other zone's time can be told.
    there = {key: at.astimezone(UTC) for key, at in found.items() if at.tzinfo is not None and 1 < at.year < 9999}
    return {key: msgspec.json.encode(at) for key, at in there.items()}


def _searches(data: bytes) -> Found:
    found = msgspec.json.decode(data, type=list[dict[str, Any]])
    return {str(search["name"]): msgspec.json.encode(search) for search in found}


def _counts(data: bytes) -> Found:
    return {key: msgspec.json.encode(n) for key, n in msgspec.json.decode(data, type=dict[str, int]).items()}


def _paths(data: bytes) -> Found:
    return dict.fromkeys(msgspec.json.decode(data, type=list[str]), b"{}")


class _Places(msgspec.Struct):
    places: dict[str, msgspec.Raw] = {}


def read_mark_key(consumer: str, place: str) -> str:
    """Gives the key of one place's marks: each consumer reads for itself."""
    return f"{consumer}\n{place}"


def _marks(file: Path) -> Iterator[Row]:
    consumer = file.stem.removeprefix("followed-")
    for place, marks in msgspec.json.decode(_bytes(file), type=_Places).places.items():
        yield READ_MARKS, read_mark_key(consumer, place), bytes(marks)


def _samples(file: Path) -> Iterator[Row]:
    """Lines of eight hexadecimal digits of crc32, a space, and an instant with its values; damaged ones are left."""
    found: Found = {}
    for line in _bytes(file).split(b"\n"):
        body = line[9:]
        with suppress(*_UNREADABLE):
            if body and int(line[:8], 16) == zlib.crc32(body):
                at, _ = msgspec.json.decode(body, type=tuple[datetime, dict[str, int]])
                if at.tzinfo is not None:
                    found[at.isoformat()] = body
    for key in sorted(found, key=datetime.fromisoformat):
        yield GAUGE_SAMPLES, key, found[key]


def _reports(folder: Path) -> Iterator[Row]:
    """Reads a file for each dry run; one that is no JSON is left."""
    for file in sorted(folder.glob("r-*.json"), key=lambda file: (len(file.stem), file.stem)):
        with suppress(*_UNREADABLE):
            yield DRY_RUNS, file.stem, bytes(msgspec.json.decode(_bytes(file), type=msgspec.Raw))


def _decisions(file: Path) -> Iterator[Row]:
    """Reads a database of its own: messages, judgements and counts. Another program's file gives nothing."""
    import apsw

    try:
        connection = _unchanged(file)
        try:
            for key, body in connection.execute("SELECT key, body FROM messages ORDER BY id"):
                yield DECISIONS, str(key), bytes(body)
            judged = connection.execute("SELECT message, topic, useful, at FROM judgements ORDER BY id")
            for message, topic, useful, at in judged:
                judgement = {"message": message, "topic": topic, "useful": useful, "at": at}
                yield JUDGEMENTS, f"{message}\n{topic}\n{at}", msgspec.json.encode(judgement)
            for hour, body in connection.execute("SELECT hour, body FROM tallies ORDER BY hour"):
                yield TALLIES, str(hour), bytes(body)
        finally:
            connection.close()
    except (apsw.Error, TypeError) as error:
        raise ValueError(f"{error}") from error


def _unchanged(file: Path) -> "apsw.Connection":
    """Opens a database of before without a trace: as it lies there where no log is beside it, else with that log."""
    import apsw

    # What was committed last may stand in the log alone.
    if file.with_name(f"{file.name}-wal").exists():
        return connect(file, "", 5_000, read_only=True)
    name = f"{file.absolute().as_uri()}?immutable=1"
    connection = apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    distrust(connection)
    return connection


def _of(table: str, convert: Callable[[bytes], Found]) -> _Reader:
    def read(file: Path) -> Iterator[Row]:
        for key, body in convert(_bytes(file)).items():
            yield table, key, body

    return read


def _fold(name: str) -> _Reader:
    return _of(OPERATION_FOLDS, lambda data: {name: bytes(msgspec.json.decode(data, type=msgspec.Raw))})


_READERS: dict[str, tuple[str, _Reader]] = {
    "last-runs.json": (JOB_RUNS, _of(JOB_RUNS, _instants)),
    "searches.json": (SAVED_SEARCHES, _of(SAVED_SEARCHES, _searches)),
    "references.json": (REFERENCES, _of(REFERENCES, _counts)),
    "followed.json": (FOLLOWED_PATHS, _of(FOLLOWED_PATHS, _paths)),
    "snoozed.json": (SNOOZES, _of(SNOOZES, _instants)),
    "trends": (GAUGE_SAMPLES, _samples),
    "reports": (DRY_RUNS, _reports),
    "decisions.db": (DECISIONS, _decisions),
    "tree-records.json": (OPERATION_FOLDS, _fold("tree")),
    "trust-records.json": (OPERATION_FOLDS, _fold("trust")),
}
"""By the name of the file or folder: the table to which the first of its facts belong, and the reader."""


def was_before(folder: Path) -> bool:
    """Tells whether files lie in the state folder that are still to be taken over."""
    return next(_files(folder), None) is not None


def take_over(connection: "apsw.Connection", folder: Path, tables: Container[str]) -> None:
    """Puts the facts of the files of these tables into them, inside the caller's transaction."""
    for file in _files(folder):
        table, read = _reader(file)
        if table in tables:
            step(f"state-take-over-{table}")
            with suppress(*_UNREADABLE):
                for into, key, body in read(file):
                    TableRows(connection, into).put(key, body)


def read_files(folder: Path) -> dict[str, Found]:
    """Gives the facts of all files that can be read, by the table they belong to."""
    found: dict[str, Found] = {table: {} for table in TABLES}
    for file in _files(folder):
        with suppress(*_UNREADABLE):
            for table, key, body in _reader(file)[1](file):
                found[table][key] = body
    return found


def unreadable(folder: Path) -> tuple[Path, ...]:
    """Gives the files beside of which not everything could be taken over."""
    found = []
    for file in _files(folder / BESIDE):
        try:
            deque(_reader(file)[1](file), maxlen=0)
        except _UNREADABLE:
            found.append(file)
    return tuple(found)


def keep_beside(folder: Path) -> None:
    """Moves the files that were taken over into a folder of their own; one of that name already there stays."""
    beside = folder / BESIDE
    files = [file for file in (*_files(folder), *map(folder.joinpath, _LOGS)) if file.exists()]
    files = [file for file in files if not (beside / file.name).exists()]
    if not files:
        return
    beside.mkdir(mode=0o700, exist_ok=True)
    for file in files:
        step("state-keep-beside")
        with suppress(FileNotFoundError, FileExistsError):  # another process moved it
            file.rename(beside / file.name)
    for changed in (beside, folder):
        fsync_folder(changed)


_LOGS = ("decisions.db-wal", "decisions.db-shm")
"""The files that SQLite keeps beside a database: they move with it."""


def _files(folder: Path) -> Iterator[Path]:
    yield from (folder / name for name in _READERS if (folder / name).exists())
    yield from sorted(folder.glob(_MARKS))


def _reader(file: Path) -> tuple[str, _Reader]:
    return _READERS.get(file.name, (READ_MARKS, _marks))


def _bytes(file: Path) -> bytes:
    if file.stat().st_size > _LARGEST:
        raise ValueError("too large")
    return file.read_bytes()
